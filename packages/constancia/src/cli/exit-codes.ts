/** What the command line ends with; each has one meaning, so that a script can tell them apart. */
export const exitCodes = {
  done: 0,
  fault: 1,
  usage: 2,
  unknown: 3,
  ambiguous: 4,
  refused: 5,
  stranded: 6,
  runFailed: 7,
  unconfirmed: 8,
  config: 9,
  store: 10,
  findings: 11,
  cutOff: 12,
  notGivenBack: 13,
  differs: 14,
  forged: 15,
  unverifiable: 16,
  incomplete: 17,
  unsealed: 18,
  unreadable: 19,
  interrupted: 130,
} as const

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What each code means, in a line: for `--help`. */
export const exitCodeMeanings: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.fault, 'an unexpected fault, perhaps a bug'],
  [exitCodes.usage, 'the command, an id or an input makes no sense; nothing was done'],
  [exitCodes.unknown, 'no such run, flow, contract or approval'],
  [exitCodes.ambiguous, 'the beginning of an id fits several runs'],
  [exitCodes.refused, 'the run has ended, is not stuck, or refuses; or whoever it is may not'],
  [exitCodes.stranded, 'check: runs would be stranded by the code at hand'],
  [exitCodes.runFailed, 'start --wait: the run failed, was cancelled or is stuck'],
  [exitCodes.unconfirmed, 'not confirmed: answer yes, or pass --yes; nothing was done'],
  [exitCodes.config, 'no configuration was found, or it cannot be loaded'],
  [exitCodes.store, 'the database is missing, away, damaged, too new, moved, or lost a part'],
  [exitCodes.findings, 'doctor, contract check: something needs attention'],
  [exitCodes.cutOff, 'worker: attempts were cut off; their steps are executed again'],
  [exitCodes.notGivenBack, 'worker: runs were not given back; they go on when their leases end'],
  [exitCodes.differs, 'contract diff: the contracts differ'],
  [exitCodes.forged, 'verify, log: something does not fit what was signed'],
  [exitCodes.unverifiable, 'verify: signed by no key that is trusted: another log, or a lost key'],
  [exitCodes.incomplete, 'verify: something is missing, or could not be evaluated'],
  [exitCodes.unsealed, 'verify, prove: not sealed yet'],
  [exitCodes.unreadable, 'verify: not a bundle, or a damaged one'],
  [exitCodes.interrupted, 'stopped by Ctrl-C; what was done is told'],
]

const exitCodeOfError: Readonly<Record<string, ExitCode>> = {
  usage: exitCodes.usage,
  invalid_id: exitCodes.usage,
  invalid_option: exitCodes.usage,
  invalid_value: exitCodes.usage,
  invalid_change: exitCodes.usage,
  invalid_contract: exitCodes.usage,
  not_serializable: exitCodes.usage,
  value_too_large: exitCodes.usage,
  unknown_run: exitCodes.unknown,
  unknown_flow: exitCodes.unknown,
  run_purged: exitCodes.unknown,
  unknown_contract: exitCodes.unknown,
  unknown_approval: exitCodes.unknown,
  ambiguous_id: exitCodes.ambiguous,
  run_ended: exitCodes.refused,
  run_exists: exitCodes.refused,
  not_stuck: exitCodes.refused,
  run_open: exitCodes.refused,
  workers_up: exitCodes.refused,
  nothing_lost: exitCodes.refused,
  store_not_empty: exitCodes.refused,
  not_moved: exitCodes.refused,
  file_exists: exitCodes.refused,
  too_many_signals: exitCodes.refused,
  not_permitted: exitCodes.refused,
  last_administrator: exitCodes.refused,
  vote_refused: exitCodes.refused,
  contract_not_in_force: exitCodes.refused,
  actor_missing: exitCodes.refused,
  interval_purged: exitCodes.refused,
  key_not_active: exitCodes.refused,
  key_invalid: exitCodes.usage,
  invalid_evidence: exitCodes.usage,
  not_sealed: exitCodes.unsealed,
  run_failed: exitCodes.runFailed,
  run_cancelled: exitCodes.runFailed,
  run_stuck: exitCodes.runFailed,
  unconfirmed: exitCodes.unconfirmed,
  config_missing: exitCodes.config,
  config_invalid: exitCodes.config,
  journal_damaged: exitCodes.store,
  interrupted: exitCodes.interrupted,
}

/** The exit code that stands for the code of an error. */
export function exitCodeOf(errorCode: string | undefined): ExitCode {
  if (errorCode === undefined) return exitCodes.fault
  if (Object.hasOwn(exitCodeOfError, errorCode)) return exitCodeOfError[errorCode] ?? exitCodes.fault
  return errorCode.startsWith('store_') ? exitCodes.store : exitCodes.fault
}
