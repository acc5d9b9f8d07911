import { PassThrough } from 'node:stream'
import { ScriptedClock } from 'constancia/testing'
import { describe, expect, it } from 'vitest'
import { Phases } from '../../dist/cli/phases.js'
import { Progress, shownBytes } from '../../dist/cli/progress.js'
import { Terminal } from '../../dist/cli/terminal.js'

interface Made {
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly stderr: PassThrough
}

/** Streams that are terminals, or are not. */
function streams(isTTY: boolean): Made {
  const made = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  for (const stream of Object.values(made)) Object.assign(stream, { isTTY, columns: isTTY ? 60 : undefined })
  return made
}

function terminalOf(made: Made, environment: NodeJS.ProcessEnv = {}): Terminal {
  return new Terminal(made as never, environment)
}

describe('a terminal', () => {
  it('C50: has colours and its own width; what is no terminal, NO_COLOR or --no-color has none', () => {
    const red = '\u001b[31mred\u001b[0m'
    expect(terminalOf(streams(true)).paint.bad('red')).toBe(red)
    expect(terminalOf(streams(true)).width).toBe(60)
    expect(terminalOf(streams(true), { NO_COLOR: '1' }).paint.bad('red')).toBe('red')
    expect(terminalOf(streams(true), { TERM: 'dumb' }).paint.bad('red')).toBe('red')
    expect(terminalOf(streams(false)).paint.bad('red')).toBe('red')
    expect(terminalOf(streams(false)).width).toBe(80)
    const plain = terminalOf(streams(true))
    plain.dropColours()
    expect(plain.paint.bad('red')).toBe('red')
  })

  it('C50: takes only yes for yes, and asks where data does not go', async () => {
    for (const [answer, meaning] of [
      ['yes', true],
      ['Y', true],
      ['', false],
      ['no', false],
      ['yessir', false],
    ] as const) {
      const made = streams(true)
      const terminal = terminalOf(made)
      expect(terminal.canAsk).toBe(true)
      const asked = terminal.ask('Cancel them?')
      made.stdin.write(`${answer}\n`)
      expect([answer, await asked]).toEqual([answer, meaning])
      expect(String(made.stderr.read())).toContain('Cancel them? [y/N]')
      expect(made.stdout.read()).toBeNull()
    }
    expect(terminalOf(streams(false)).canAsk).toBe(false)
  })

  it('C50: an interrupted question is not answered with yes', async () => {
    const terminal = terminalOf(streams(true))
    const asked = terminal.ask('Cancel them?')
    terminal.interrupts.request()
    expect(await asked).toBe(false)
  })
})

describe('progress', () => {
  const shown = (isTerminal: boolean): string[] => {
    const clock = new ScriptedClock()
    const written: string[] = []
    const write = (text: string): void => void written.push(text)
    const progress = new Progress({
      label: 'Replaying run',
      total: 3_000,
      isTerminal,
      write,
      clock,
      done: () => undefined,
    })
    for (let count = 0; count < 3_000; count += 1) {
      progress.add()
      clock.advance(10)
    }
    progress.end()
    return written
  }

  it('C50: moves on a terminal and is gone afterwards; a log gets a line now and then; short work shows nothing', () => {
    const moving = shown(true)
    expect(moving.length).toBeGreaterThan(100)
    expect(moving[0]?.replace(/\d+ of/, 'n of')).toBe('\r\u001b[2KReplaying run n of 3,000')
    expect(moving.at(-1)).toBe('\r\u001b[2K')
    const logged = shown(false)
    expect(logged.length).toBeLessThan(7)
    expect(logged.at(-1)).toMatch(/^Replaying run 2,\d+ of 3,000\n$/)
    const quick = new Progress({
      label: '',
      total: 1,
      isTerminal: true,
      write: () => expect.unreachable(),
      clock: new ScriptedClock(),
      done: () => undefined,
    })
    quick.add()
    quick.end()
  })
  it('C50: of bytes that are passed on shows the millions, and an interruption ends it before the next piece', async () => {
    const clock = new ScriptedClock()
    const written: string[] = []
    const input = { label: 'Verifying megabyte', total: 3, isTerminal: true, clock, done: () => undefined }
    const progress = new Progress({ ...input, write: (text) => void written.push(text) })
    let checks = 0
    const stop = new Error('stopped')
    const check = (): void => {
      checks += 1
      if (checks > 5) throw stop
    }
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let no = 0; no < 10; no += 1) {
        clock.advance(1_000)
        yield new Uint8Array(600_000)
      }
    }
    let passed = 0
    const passing = (async () => {
      for await (const piece of shownBytes(pieces(), progress, check)) passed += piece.length
    })()
    await expect(passing).rejects.toBe(stop)
    expect(passed).toBe(3_000_000)
    // The fifth piece was passed on, and what came of it is shown with the next one that never comes.
    expect(written).toEqual([1, 2, 3].map((count) => `\r\u001b[2KVerifying megabyte ${count} of 3`))
  })

  it('C50: of work in phases shows one after the other, and an interruption ends it between two things', () => {
    const made = streams(true)
    const terminal = terminalOf(made)
    const phases = new Phases(terminal, { found: 'Looking up run', writing: 'Writing run' })
    const slowly = (): void => {
      const untilMs = performance.now() + 110 // Progress of a terminal is in real time, and shown ten times a second.
      while (performance.now() < untilMs);
    }
    for (const name of ['found', 'writing'] as const) {
      phases.add(name, 2)
      slowly()
      phases.add(name, 2)
    }
    phases.end()
    // A slow machine may show the first one as well.
    const lines = String(made.stderr.read())
      .split('\r\u001b[2K')
      .filter((line) => !line.endsWith('1 of 2'))
    expect(lines).toEqual(['', 'Looking up run 2 of 2', '', 'Writing run 2 of 2', ''])
    terminal.interrupts.request()
    expect(() => phases.add('writing', 2)).toThrow(expect.objectContaining({ code: 'interrupted' }))
  })
})
