import type { PlantedBug } from './workbench.js'

const test = (name: string): { readonly file: string } => ({ file: `constancia/test/cli/${name}.test.ts` })
const cli = (name: string): string => `constancia/src/cli/${name}.ts`

/** Bugs of the command line. */
export const cliBugs: readonly PlantedBug[] = [
  {
    breaks: 'many runs are cancelled although nobody said yes',
    file: cli('confirmation'),
    find: "if (options.flag('yes')) return",
    replace: "if (question !== '') return",
    noticedBy: { ...test('bulk'), name: 'without a terminal' },
  },
  {
    breaks: 'the beginning of an id that fits several runs is taken for the first of them',
    file: cli('run-ids'),
    find: 'items.every((row) => row === first',
    replace: 'items.some((row) => row === first',
    noticedBy: { ...test('bad-input'), name: 'the beginning of two' },
  },
  {
    breaks: 'Ctrl-C does not stop a bulk action',
    file: cli('bulk'),
    find: 'while (tally.fault === undefined && !call.terminal.interrupts.isInterrupted) {',
    replace: 'while (tally.fault === undefined) {',
    noticedBy: { ...test('bulk'), name: 'Ctrl-C' },
  },
  {
    breaks: 'a bulk action stops half-way because the reader of its output has left',
    file: cli('terminal'),
    find: 'if (!this.#readerLeft) await this.print(text)',
    replace: 'await this.print(text)',
    noticedBy: { ...test('bulk'), name: 'has left' },
  },
  {
    breaks: 'a list makes a database where there is none',
    file: cli('session'),
    find: 'if (!how.create) requireDatabase',
    replace: 'if (how.create) requireDatabase',
    noticedBy: { ...test('config'), name: 'is missing is told' },
  },
  {
    breaks: 'the check before a deploy is silent about runs whose flow is gone',
    file: cli('commands/check'),
    find: "else if (found === 'ended') counts.endedCount += 1",
    replace: "else if (found === 'ended' || found.code === 'no_code') counts.endedCount += 1",
    noticedBy: { ...test('check'), name: 'real change' },
  },
]
