import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { bundlePath } from './bundle-path.mjs'

/** Packages of many small modules. The others remain packages: some have files beside their modules, or are programs of the machine. */
const joined = /^(?:typebox|yaml)(?:\/|$)/
const olderMs = 3_600_000

type Bundle = {
  /** The modules to begin with, from the root of the checkout: `cli/main.ts` becomes `cli-main.mjs`. */
  readonly programs: readonly string[]
  /** Where the files are written. */
  readonly folder: string
  /** Returns the place of a module as an expression, which takes the place of `import.meta.url`. */
  readonly placeOf: (path: string) => string
  /** Changes the text of a module of our own. */
  readonly change?: (text: string) => string
}

/**
 * Joins the modules of programs into a few files. A module that is imported when it is needed stays a file of its own. What a module reads
 * beside itself, and the threads and processes that it starts, are found from its own place.
 */
export async function buildBundle(root: string, { programs, folder, placeOf, change }: Bundle): Promise<string[]> {
  const bundle = await rolldown({
    input: Object.fromEntries(
      programs.map((path) => [path.replace(/\.ts$/, '').replaceAll('/', '-'), join(root, path)]),
    ),
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    external: (id) => !/^(?:[./]|[A-Z]:)/.test(id) && !joined.test(id),
    plugins: [ownPlaces(placeOf, change)],
  })
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' }
  const { output } = await bundle.write({ dir: folder, format: 'esm', ...names })
  await bundle.close()
  return output.map(({ fileName }) => fileName)
}

/** Returns the places of modules as they are seen from a folder of bundles. */
export function seenFrom(folder: string): (path: string) => string {
  return (path) => `new URL(${JSON.stringify(relative(folder, path).replaceAll('\\', '/'))}, import.meta.url).href`
}

function ownPlaces(placeOf: Bundle['placeOf'], change = (text: string) => text): Plugin {
  return {
    name: 'own-places',
    transform(code, path) {
      if (!code.includes('import.meta') || path.includes(`${sep}node_modules${sep}`)) return null
      if (/import\.meta\.(?!url\b|resolve\b)/.test(code)) throw new Error(`${path}: only import.meta.url can be joined`)
      return { code: change(code).replaceAll('import.meta.url', placeOf(path)), map: null }
    },
  }
}

/** Removes the files of earlier bundles. A program that runs may still need those of the last hour. */
function removeOlder(folder: string, written: ReadonlySet<string>): void {
  const newest = statSync(join(folder, 'cli-main.mjs')).mtimeMs
  for (const name of readdirSync(folder)) {
    const isOld = name.endsWith('.mjs') && !written.has(name) && newest - statSync(join(folder, name)).mtimeMs > olderMs
    if (isOld) rmSync(join(folder, name))
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const folder = join(root, bundlePath, '..')
  removeOlder(
    folder,
    new Set(await buildBundle(root, { programs: ['cli/main.ts'], folder, placeOf: seenFrom(folder) })),
  )
}
