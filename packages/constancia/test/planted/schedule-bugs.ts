import type { PlantedBug } from './workbench.js'

const test = (name: string, only: string): PlantedBug['noticedBy'] => ({
  file: `constancia/test/schedule/${name}.test.ts`,
  name: only,
})
const schedule = (name: string): string => `constancia/src/schedule/${name}.ts`

/** Bugs of schedules. */
export const scheduleBugs: readonly PlantedBug[] = [
  {
    breaks: 'a time of day that the clocks jump over is not due on that day',
    file: schedule('occurrence'),
    find: 'const dueMs = momentsMs[0] ?? (isMoved ? shift.atMs : undefined)',
    replace: 'const dueMs = momentsMs[0] ?? (isMoved && pattern.repeats ? shift.atMs : undefined)',
    noticedBy: test('occurrences', 'does not exist'),
  },
  {
    breaks: 'a time of day that comes twice is due twice',
    file: schedule('occurrence'),
    find: 'if (pattern.repeats) {',
    replace: 'if (pattern.repeats || momentsMs.length === 2) {',
    noticedBy: test('occurrences', 'whatever the pattern'),
  },
  {
    breaks: 'the second pass of an hour that comes twice is left out',
    file: schedule('occurrence'),
    find: 'if (wallMs === undefined || wallMs > afterMs + shift.offsetMsBefore) return undefined',
    replace: 'if (wallMs === undefined || wallMs > afterMs - shift.offsetMsBefore) return undefined',
    noticedBy: test('running', '46 runs'),
  },
  {
    breaks: "the next day is looked for by the parser's own search",
    file: schedule('pattern'),
    find: '    const dayMs = dayStart(fromMs)\n',
    replace:
      '    const dayMs = dayStart(fromMs)\n' +
      '    if (dayMs > 0) return this.#cron.nextRun(new Date(fromMs - secondMs))?.getTime()\n',
    noticedBy: test('occurrences', 'whole year'),
  },
  {
    breaks: 'with latest, every missed occurrence is started',
    file: schedule('due'),
    find: "return missed === 'latest' && onTimeCount === 0 ? 1 : 0",
    replace: "return missed === 'latest' && onTimeCount === 0 ? missedMax : 0",
    noticedBy: test('running', 'with latest'),
  },
  {
    breaks: 'what was due before an edit is forgotten',
    file: schedule('schedule-flow'),
    find: 'const span = { afterMs: state.cursorMs, untilMs }',
    replace: 'const span = { afterMs: spec === state.spec ? state.cursorMs : untilMs, untilMs }',
    noticedBy: test('declaring', 'before an edit'),
  },
  {
    breaks: 'a declaration that comes back counts as the one before',
    file: schedule('declaring'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    find: '`declared:${told.count}:${spec.digest}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    replace: '`declared:${spec.digest}`',
    noticedBy: test('declaring', 'A, B and A again'),
  },
  {
    breaks: 'every opening of a process declares anew',
    file: schedule('declaring'),
    find: 'if (told.digest === spec.digest) return',
    replace: "if (told.digest === spec.digest && spec.cron === 'never') return",
    noticedBy: test('declaring', 'adds nothing'),
  },
  {
    breaks: 'a process that only looks declares schedules',
    file: schedule('open'),
    find: 'if (options.worker === false) return runtime',
    replace: 'if (options.worker === false && kept.length === 0) return runtime',
    noticedBy: { ...test('declaring', 'only looks'), inVain: true },
  },
  {
    breaks: 'the id of a run that a schedule starts tells when it was started, not what for',
    file: schedule('schedule-flow'),
    find: 'const id = occurrenceIdOf(name, momentMs)',
    replace: 'const id = occurrenceIdOf(name, Math.max(momentMs, span.untilMs))',
    noticedBy: test('running', 'on time whatever is declared'),
  },
  {
    breaks: 'a schedule that is over keeps processes from starting once its declarations were erased',
    file: 'constancia/src/schedule/declaring.ts',
    find: 'if (event.data !== undefined) digest = readSpec(decodeValue(event.data))',
    replace: "digest = readSpec(decodeValue(event.data ?? ''))",
    noticedBy: { file: 'constancia/test/schedule/declaring.test.ts', name: 'whose declarations were erased' },
  },
]
