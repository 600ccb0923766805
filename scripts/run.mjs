// Runs the command line: the bundle that `prepare.mjs` has built, or else its modules.
import { existsSync } from 'node:fs'
import { bundlePath } from './bundle-path.mjs'

const bundle = new URL(`../${bundlePath}`, import.meta.url)
await import(existsSync(bundle) ? bundle.href : '../cli/main.ts')
