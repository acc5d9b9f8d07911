import { launch } from './launch.mjs'

await launch({ program: 'bench/dist/bench.js' })
