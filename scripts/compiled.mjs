// Loaded first: what was compiled at an earlier start is not compiled again, which is a fifth of a start. Written when the process ends.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
