import { launch } from './launch.mjs'

await launch('bench/dist/bench.js')
