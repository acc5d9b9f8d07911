import { launch } from './launch.mjs'

await launch(
  { program: 'examples/migration/dist/demo.js', title: 'FIRST ACT: whatever happens to its process' },
  { program: 'examples/payments/dist/demo.js', title: 'SECOND ACT: whatever changes while it waits' },
  { program: 'examples/payments/dist/proof.js', title: 'THIRD ACT: what a stranger can check' },
)
