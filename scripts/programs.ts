import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildBundle } from './build-bundle.ts'

/** The programs that tests start as processes of their own. */
const programs = ['src/main.ts', 'cli/main.ts', 'test/servers/app.ts']
const sources = ['{src,cli,client/src,scripts,test/servers}/**/*.{ts,mjs}', 'package.json', 'package-lock.json']
const keptMs = 24 * 3_600_000

/**
 * Joins the modules of each program into a few files, and returns the folder of them: such a program starts with half of the work, and
 * tests start it a hundred times. The files are kept until a source changes.
 */
export async function buildPrograms(root: string): Promise<string> {
  const cache = join(root, 'node_modules/.cache/programs')
  const folder = join(cache, hashOf(root))
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date())
    return folder
  }
  mkdirSync(cache, { recursive: true })
  // A run that began earlier may still use the files of other sources, and each run sets the time of its folder.
  const isOld = (path: string) => Date.now() - statSync(path).mtimeMs > keptMs
  for (const path of readdirSync(cache).map((name) => join(cache, name))) {
    if (isOld(path)) rmSync(path, { recursive: true, force: true })
  }
  const next = mkdtempSync(join(cache, 'next-'))
  const placeOf = (path: string) => JSON.stringify(pathToFileURL(path).href)
  await buildBundle(root, { programs, folder: next, placeOf })
  try {
    renameSync(next, folder)
  } catch {
    // Another run has built the same meanwhile.
    rmSync(next, { recursive: true, force: true })
  }
  return folder
}

function hashOf(root: string): string {
  // The joined files name places in this checkout, and packages may be copied to another one with what is cached beside them.
  const hash = createHash('sha256').update(`${process.version} ${root}`)
  for (const path of globSync(sources, { cwd: root }).sort()) {
    hash.update(`\n${path}\n`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex').slice(0, 16)
}
