import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { buildBundle, seenFrom } from './build-bundle.ts'

/** What a package has instead of TypeScript, which Node does not run below node_modules. */
const sources = ['src/**/*.ts', 'cli/**/*.ts', 'client/src/**/*.ts']
/** What the program reads, by its place in the repository. */
const copied = ['migrations', 'dashboard/dist', 'package.json']
/** A path of a file of our own, in an import or as the program of a thread or a process. */
const ownPath = /(['"])(\.{1,2}\/[\w./-]+)\.ts\1/g

/** Writes the folder `dist` of the package into a folder: JavaScript, its bundle, the types of the client, and what the program reads. */
export async function writeDist(root: string, dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true })
  for (const path of sources.flatMap((pattern) => globSync(pattern, { cwd: root }))) {
    if (path.endsWith('.d.ts')) continue
    const target = join(dist, path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, toJavaScript(readFileSync(join(root, path), 'utf8')))
  }
  // The bundle is to the modules of the package as a folder `bundle` of the checkout would be to those of the checkout.
  const placeOf = seenFrom(join(root, 'bundle'))
  await buildBundle(root, { programs: ['cli/main.ts'], folder: join(dist, 'bundle'), placeOf, change: withJsPaths })
  for (const path of copied) cpSync(join(root, path), join(dist, path), { recursive: true })
  const args = [
    'node_modules/typescript/bin/tsc',
    '-p',
    'client',
    '--outDir',
    join(dist, 'client/src'),
    '--emitDeclarationOnly',
  ]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the types of the client cannot be written: ${stdout}${stderr}`)
}

/** Returns a module without its types. Lines stay where they are, so that a stack names those of the repository. */
function toJavaScript(text: string): string {
  return withJsPaths(stripTypeScriptTypes(text, { mode: 'strip' }))
}

function withJsPaths(text: string): string {
  return text.replaceAll(ownPath, '$1$2.js$1')
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  await writeDist(root, join(root, 'dist'))
}
