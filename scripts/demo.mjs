import { launch } from './launch.mjs'

await launch('examples/migration/dist/demo.js')
