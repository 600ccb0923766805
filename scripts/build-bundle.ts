import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { bundlePath } from './bundle-path.mjs'

/** Packages of many small modules. The others remain packages: some have files beside their modules, or are programs of the machine. */
const joined = /^(?:typebox|yaml)(?:\/|$)/
const olderMs = 3_600_000

type Target = {
  /** Where the files are written. */
  readonly folder: string
  /** The folder that is to the modules of the checkout as `folder` is to those that are there when the bundle runs. */
  readonly beside?: string
  /** Changes the text of a module of our own. */
  readonly change?: (text: string) => string
}

/**
 * Joins the modules that the command line imports into a few files. A module that is imported when it is needed stays a file of its own.
 * Threads and processes still run the modules themselves.
 */
export async function buildBundle(root: string, { folder, beside = folder, change }: Target): Promise<void> {
  const bundle = await rolldown({
    input: { main: join(root, 'cli', 'main.ts') },
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    external: (id) => !/^(?:[./]|[A-Z]:)/.test(id) && !joined.test(id),
    plugins: [ownPlaces(beside, change)],
  })
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' }
  const { output } = await bundle.write({ dir: folder, format: 'esm', ...names })
  await bundle.close()
  removeOlder(folder, new Set(output.map(({ fileName }) => fileName)))
}

/** Removes the files of earlier bundles. A program that runs may still need those of the last hour. */
function removeOlder(folder: string, written: ReadonlySet<string>): void {
  const newest = statSync(join(folder, 'main.mjs')).mtimeMs
  for (const name of readdirSync(folder)) {
    const isOld = name.endsWith('.mjs') && !written.has(name) && newest - statSync(join(folder, name)).mtimeMs > olderMs
    if (isOld) rmSync(join(folder, name))
  }
}

/** Lets `import.meta.url` be the module's own place, from which it finds other files. */
function ownPlaces(beside: string, change = (text: string) => text): Plugin {
  return {
    name: 'own-places',
    transform(code, id) {
      if (!code.includes('import.meta') || id.includes(`${sep}node_modules${sep}`)) return null
      if (/import\.meta\.(?!url\b|resolve\b)/.test(code)) throw new Error(`${id}: only import.meta.url can be joined`)
      const place = JSON.stringify(relative(beside, id).replaceAll('\\', '/'))
      return { code: change(code).replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), map: null }
    },
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  await buildBundle(root, { folder: join(root, bundlePath, '..') })
}
