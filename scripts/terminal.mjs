/** What the scripts print: stages with their times, colour only where somebody can see it. */
import { spawn } from 'node:child_process'

const tty = process.stdout.isTTY === true
const wanted = process.env.FORCE_COLOR !== undefined || (tty && process.env.TERM !== 'dumb')
const colour = wanted && !process.env.NO_COLOR

const paint = (code, text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = (text) => paint(1, text)
export const dim = (text) => paint(2, text)
export const red = (text) => paint(31, text)
export const green = (text) => paint(32, text)
export const yellow = (text) => paint(33, text)

export function say(text = '') {
  process.stdout.write(`${text}\n`)
}

/**
 * Runs a program to its end and returns its exit code and output. `quiet: false` passes the output through as it comes.
 * A program that cannot be started counts as one that failed; one ended by a signal has code 1.
 */
export function run(file, args, { cwd, env, quiet = true } = {}) {
  return new Promise((resolve) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
    // Some programs colour whatever runs in CI, even into a file.
    const plain = colour ? {} : { NO_COLOR: '1' }
    const child = spawn(file, args, { cwd, env: { ...process.env, ...plain, ...env }, stdio })
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    child.on('error', (error) => resolve({ code: 1, output: `${file}: ${error.message}\n` }))
    child.on('close', (code, signal) => {
      const output = Buffer.concat(chunks).toString('utf8')
      resolve({ code: code ?? 1, output: signal ? `${output}Ended by ${signal}.\n` : output })
    })
  })
}

/**
 * Announces a stage, runs it, prints how long it took, and its output if it failed. `work` returns
 * `{ code, output, note? }`. Returns whether the stage passed.
 */
export async function stage(name, work) {
  const startMs = performance.now()
  const label = `  ${name.padEnd(26)}`
  if (tty) process.stdout.write(label)
  const { code, output, note } = await work()
  const seconds = `${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)} s`
  const verdict = code === 0 ? green('ok    ') : red('failed')
  say(`${tty ? '' : label}${verdict} ${dim(seconds)}${note ? `  ${dim(note)}` : ''}`)
  if (code !== 0 && output) say(`\n${output.trimEnd()}\n`)
  return code === 0
}
