import { randomBytes } from 'node:crypto'
import {
  type MoveObstacle,
  type MoveOutcome,
  type Moving,
  moveStateError,
  moveStore,
  type StoreCounts,
  surveyMove,
  systemClock,
  workOf,
} from '../../store/index.js'
import type { Call, Command } from '../command.js'
import { requireYes } from '../confirmation.js'
import { cliError } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { openSource, openTarget, type Side } from '../moves.js'
import { counted, printable } from '../text.js'

/** `constancia migrate-store`: moves a project into another database. */
export const migrateStoreCommand: Command = {
  name: 'migrate-store',
  summary: 'move everything into another, empty database',
  details:
    'Every journal arrives to the byte, and runs go on there where they were. All workers must be down. The target is filled in one ' +
    'transaction and compared; then the database of the configuration is sealed: nothing works on it any more, and it says where ' +
    'everything is. A move that is interrupted has moved nothing; give the command again.\n\n' +
    'Example:  constancia migrate-store --to postgres://app@db.example/app',
  options: [
    { flags: '--to <target>', about: 'postgres://…, sqlite:<file>, or another configuration' },
    { flags: '--schema <name>', about: 'of a PostgreSQL that is named by its URL; constancia unless set' },
    { flags: '-y, --yes', about: 'do not ask' },
    { flags: '--undo', about: 'let the database of the configuration be worked on again' },
  ],
  act: async (call) => {
    const to = call.options.text('to')
    const isUndo = call.options.flag('undo')
    if (isUndo === (to !== undefined))
      throw cliError('usage', 'Where to? Name it with --to, or take a move back with --undo. Nothing was done.')
    const source = await openSource(call)
    try {
      return to === undefined ? await undo(call, source.moving) : await moveTo(call, source, to)
    } finally {
      await source.moving.close()
    }
  },
}

const unchanged = { nothing: 'Nothing was moved or changed' }

async function moveTo(call: Call, source: Side, to: string): Promise<ExitCode> {
  const target = await openTarget(call, to)
  const places: Places = { from: source.moving.describe(), to: target.moving.describe() }
  let counts: StoreCounts
  try {
    const survey = await surveyMove(source.moving, target.moving)
    if (survey.kind !== 'ready') throw refusal(survey, places)
    call.terminal.say(previewOf(survey.counts, places))
    await requireYes(call, 'Move everything?', unchanged)
    const outcome = await move(call, { source, target, counts: survey.counts })
    if (outcome.kind !== 'moved') throw refusal(outcome, places)
    counts = outcome.counts
  } finally {
    await target.moving.close()
  }
  await openAgain(target)
  await tellMoved(call, counts, places)
  return exitCodes.done
}

interface Places {
  readonly from: string
  readonly to: string
}

interface Planned {
  readonly source: Side
  readonly target: Side
  readonly counts: StoreCounts
}

async function move(call: Call, { source, target, counts }: Planned): Promise<MoveOutcome> {
  const { terminal } = call
  const progress = terminal.progress('Moving event', workOf(counts))
  terminal.announceStop()
  try {
    return await moveStore(source.moving, target.moving, {
      id: randomBytes(8).toString('hex'),
      nowMs: systemClock.now(),
      onProgress: (count) => progress.add(count),
      check: () => terminal.interrupts.check(),
    })
  } finally {
    progress.end()
  }
}

// As every worker will.
async function openAgain({ factory, parts }: Side): Promise<void> {
  await (await factory(parts)).close()
}

function amountOf({ runCount, eventCount, purgedCount }: StoreCounts): string {
  const purged = purgedCount === 0 ? '' : `, and what is left of ${counted(purgedCount, 'purged run')}`
  return `${counted(runCount, 'run')} with ${counted(eventCount, 'event')}${purged}`
}

function previewOf(counts: StoreCounts, { from, to }: Places): string {
  return (
    `About to move ${amountOf(counts)}\n  from ${printable(from)}\n  to   ${printable(to)}\n` +
    'Afterwards the first one refuses to be worked on.'
  )
}

async function tellMoved(call: Call, counts: StoreCounts, { from, to }: Places): Promise<void> {
  const { terminal } = call
  if (call.isJson) return terminal.tell(JSON.stringify({ from, to, ...counts }))
  await terminal.tell(`Moved ${amountOf(counts)} to ${printable(to)}. All counts and the heads of all journals agree.`)
  terminal.say('Let the configuration name the new place before you start workers.')
}

function refusal(obstacle: MoveObstacle, { from, to }: Places): Error {
  switch (obstacle.kind) {
    case 'same_store':
      return cliError('usage', `${from} and ${to} are the same database. Nothing was done; name another target.`)
    case 'workers_up':
      return cliError('workers_up', workersUp(from, obstacle.owners))
    case 'not_empty':
      return cliError(
        'store_not_empty',
        `${to} is not empty. Nothing was moved: a database is only filled where nothing ever was. Name another one, or another schema.`,
      )
    case 'moved_before':
    case 'source_unfinished':
      return moveStateError(from, obstacle.state)
    case 'target_moved':
      return moveStateError(to, obstacle.state)
  }
}

function workersUp(from: string, owners: readonly string[]): string {
  const names = owners.slice(0, 5).map(printable).join(', ')
  return (
    `${counted(owners.length, 'worker')} ${owners.length === 1 ? 'is' : 'are'} alive on ${from} (${names}). Nothing was moved. Stop them ` +
    'first; where they are dead, wait until their leases have run out.'
  )
}

async function undo(call: Call, moving: Moving): Promise<ExitCode> {
  const state = await moving.state()
  const here = moving.describe()
  if (state === undefined)
    throw cliError('not_moved', `${here} was not moved, and waits for no move. Nothing was done.`)
  const warning =
    state.kind === 'moved'
      ? `${printable(here)} was moved to ${printable(state.place)}. About to let it be worked on again, as it was then. Whatever was executed there since is ` +
        'executed here again: make sure that nothing works there any more.'
      : `${printable(here)} waits for what is to be moved from ${printable(state.place)}. About to call that off; it stays empty.`
  call.terminal.say(warning)
  await requireYes(call, 'Go ahead?', unchanged)
  await moving.release()
  const { kind, place } = state
  if (call.isJson) await call.terminal.tell(JSON.stringify({ undone: kind, store: here, place }))
  else await call.terminal.tell(`${printable(here)} can be worked on.`)
  return exitCodes.done
}
