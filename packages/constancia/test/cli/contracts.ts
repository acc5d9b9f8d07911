import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { open, type Runtime } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { type Governance, openGovernance } from '../../dist/governance/index.js'
import { both, pay, treasury } from './governed.mjs'
import { give } from './in-process.js'
import { type Ended, Project, until } from './project.js'

const zodFolder = fileURLToPath(new URL('../../../../node_modules/zod', import.meta.url))

/** A configuration with a contract that the environment can change: `BAD` makes no sense of it, `MORE` has other flows. */
const governedConfig = `
  import { defineConfig, flow } from 'constancia'
  import { sqlite } from 'constancia/sqlite'
  import { both, pay, treasury } from './governed.mjs'

  const { BAD, MORE, VERSION, QUORUM = '1', EYES = '1' } = process.env
  const more = flow({ name: 'more', version: 2, resume: 'anyone', run: async () => 1 })
  const plain = flow({ name: 'plain', version: 1, run: async () => 1 })
  const change = { version: VERSION, quorum: Number(QUORUM), eyes: Number(EYES), bad: BAD === '1' }

  export default defineConfig({
    store: sqlite({ file: 'app.db' }),
    worker: { pollMs: 20, graceMs: 0 },
    flows: MORE ? [more, plain, both, { ...pay, models: 'deferred' }] : [pay, both],
    contract: treasury(MORE ? { flows: [pay, both, { ...plain, resume: 'anyone' }, { ...more, version: 1 }] } : change),
  })
`

/** How a command is given in this process. */
export interface Variant {
  readonly contract?: Parameters<typeof treasury>[0]
  readonly answer?: string
  readonly input?: string
}

/** A project whose configuration has a contract. */
export class GovernedProject extends Project {
  constructor() {
    super(governedConfig)
    symlinkSync(zodFolder, join(this.folder, 'node_modules', 'zod'))
    this.write('governed.mjs', readFileSync(new URL('./governed.mjs', import.meta.url), 'utf8'))
  }

  /** Lets the governance of this process do something. */
  async governing(use: (governance: Governance) => Promise<unknown>): Promise<void> {
    const opened = await openGovernance(this.#config())
    try {
      await use(opened.governance)
    } finally {
      await opened.close()
    }
  }

  /** With a contract in force; `ada` and `al` are administrators, `ana` prepares, `bo` and `cy` release. */
  async settle(): Promise<void> {
    await this.governing(async (governance) => {
      const { directory } = governance
      await directory.bootstrap({ principal: 'ada', by: 'ada' })
      await governance.activate({ contract: treasury(), by: 'ada' })
      const grants = { ana: 'analyst', bo: 'treasurer', cy: 'treasurer', al: 'administrator' }
      for (const [principal, role] of Object.entries(grants)) await directory.grant({ principal, role, by: 'ada' })
    })
  }

  /** Lets a worker of this process do something. */
  async working<T>(use: (runtime: Runtime) => Promise<T>): Promise<T> {
    const runtime = await open({ ...this.#config(), worker: { pollMs: 20, graceMs: 0 } })
    try {
      return await use(runtime)
    } finally {
      await runtime.close()
    }
  }

  /** Gives a command in this process, with this variant of the contract. */
  give(words: readonly string[], given: Variant = {}): Promise<Ended> {
    const { contract, ...rest } = given
    return give(words, { folder: this.folder, config: this.#config(treasury(contract)), ...rest })
  }

  /** Waits until nobody knows what came of an effect of a run, and the run rests. */
  async inDoubt(runtime: Runtime, run: string): Promise<void> {
    const isInDoubt = async (): Promise<boolean> =>
      (await runtime.run(run).row()).waitingFor.some(({ kind }) => kind === 'statement')
    await until(isInDoubt, `nobody knows what came of an effect of run ${run}`)
  }

  #config(contract = treasury()) {
    return { store: sqlite({ file: this.database }), flows: [pay, both], contract, log: () => undefined }
  }
}
