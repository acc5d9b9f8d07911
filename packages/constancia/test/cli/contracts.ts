import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Project } from './project.js'

const zodFolder = fileURLToPath(new URL('../../../../node_modules/zod', import.meta.url))

/** A contract and its configuration, which the environment can spoil: `BAD` makes no sense of it, `VERSION` and `QUORUM` change it. */
export const governedConfig = `
  import { action, allow, contract, days, defineConfig, flow, hours, idempotent } from 'constancia'
  import { sqlite } from 'constancia/sqlite'
  import { z } from 'zod'

  const { BAD, MORE, VERSION = '7', QUORUM = '1' } = process.env
  const transfer = action({
    name: 'bank.transfer',
    title: 'Pay a vendor',
    input: z.object({ to: z.string(), cents: z.number().int().positive() }),
    effect: idempotent({ remembersMs: hours(24) }),
    run: () => ({ receipt: 'r' }),
  })
  const pay = flow({ name: 'pay', version: 1, ...(BAD ? {} : { resume: { roles: ['analyst'] } }), run: async () => 'paid' })
  const more = flow({ name: 'more', version: 2, resume: 'anyone', run: async () => 1 })
  const plain = flow({ name: 'plain', version: 1, run: async () => 1 })

  export default defineConfig({
    store: sqlite({ file: 'app.db' }),
    flows: MORE ? [more, plain, { ...pay, models: 'none' }] : [pay],
    contract: contract({
      name: 'treasury',
      version: VERSION,
      roles: { analyst: 'prepares payments', treasurer: 'releases them', administrator: 'changes who may what' },
      flows: MORE ? [pay, { ...plain, resume: 'anyone' }, { ...more, version: 1 }] : [pay],
      rules: [
        allow(transfer).to('analyst').when(BAD ? 'input.cent <= 100000' : 'input.cents <= 100000'),
        allow(transfer).to(BAD ? 'nobody' : 'analyst').afterApproval({ roles: ['treasurer'], quorum: Number(QUORUM), within: days(4) }),
      ],
      templates: { paid: BAD ? 'Paid {' : 'Paid.' },
    }),
  })
`

/** A project whose configuration has a contract. */
export function governedProject(config = governedConfig): Project {
  const project = new Project(config)
  symlinkSync(zodFolder, join(project.folder, 'node_modules', 'zod'))
  return project
}
