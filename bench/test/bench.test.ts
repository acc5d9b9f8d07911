import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../src/report.js'

const program = fileURLToPath(new URL('../dist/bench.js', import.meta.url))

describe('npm run bench', () => {
  let report: Report
  // Everything in a process of its own, one after the other.
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--quick', '--json'])
    report = JSON.parse(stdout) as Report
  }, 600_000)

  it('measures everything that has a target', () => {
    const ids = report.rows.map((row) => row.id)
    const targeted = report.rows.filter((row) => row.target !== undefined).map((row) => row.id)
    const ofSteps = ['one-run', 'many-runs', 'replay', 'replay-growth']
    const ofManyRuns = ['parked-start', 'parked-heap', 'parked-disk', 'wake-own', 'wake-elsewhere', 'flight-many']
    const ofFleets = ['postgres-one-run', 'postgres-many-runs', 'postgres-wake-p99']
    expect(targeted).toEqual([...ofSteps, ...ofManyRuns, 'sealing', 'verify', ...ofFleets])
    expect(ids).toEqual([...new Set(ids)])
    expect(ids).toEqual(expect.arrayContaining(['replay-afresh', 'memory-long', 'children', 'queue-one', 'queue-many']))
    expect(ids).toEqual(
      expect.arrayContaining(['verify-many', 'postgres-wake', 'postgres-queue-1', 'postgres-queue-2']),
    )
  })

  it('says what it was measured on', () => {
    const { machine } = report
    expect(machine.sqlite).toMatch(/^SQLite 3\..* synchronous=FULL$/)
    expect(machine.postgres).toMatch(/^PostgreSQL \d+.*, synchronous_commit=on$/)
    expect(machine.node).toBe(process.versions.node)
    expect(machine.cores).toBeGreaterThan(0)
    expect(machine.syncsPerSecond.median).toBeGreaterThan(0)
  })

  it('finds numbers that can be true', () => {
    for (const { id, constancia, bare, ratio } of report.rows) {
      for (const { min, median, max } of [constancia, bare ?? constancia, ratio ?? constancia]) {
        // A heap that did not grow may have shrunk a little.
        expect(min, id).toBeGreaterThan(id === 'parked-heap' ? -2 : 0)
        expect(median).toBeGreaterThanOrEqual(min)
        expect(max).toBeGreaterThanOrEqual(median)
        expect(max).toBeLessThan(Infinity)
      }
    }
  })

  it('says how the time of a replay grows with its length', () => {
    const growth = report.rows.find((row) => row.id === 'replay-growth')
    // How much is for a quiet machine to judge; a single quick round on a busy one may say anything.
    expect(growth?.ratio?.median).toBeGreaterThan(0)
  })
})
