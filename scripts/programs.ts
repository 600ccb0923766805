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
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The programs that tests start as processes of their own. */
const programs = ['src/main', 'cli/main', 'test/servers/app']
const sources = ['{src,cli,client/src,scripts,test/servers}/**/*.{ts,mjs}', 'package.json', 'package-lock.json']
const keptMs = 24 * 3_600_000

/**
 * Joins the modules of each program into a few files, and returns the folder of them: such a program starts with half of the work, and
 * tests start it a hundred times. It is the same code with the same packages. What a module reads beside itself, and the threads and
 * processes that it starts, are those of the checkout. The files are kept until a source changes.
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
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [{ name: 'own-places', enforce: 'pre', transform: keepPlace }],
    ssr: { external: true },
    build: {
      ssr: true,
      outDir: next,
      target: 'esnext',
      minify: false,
      rolldownOptions: { input: Object.fromEntries(programs.map((name) => [name, join(root, `${name}.ts`)])) },
    },
  })
  try {
    renameSync(next, folder)
  } catch {
    // Another run has built the same meanwhile.
    rmSync(next, { recursive: true, force: true })
  }
  return folder
}

/** Lets a module find what lies beside its source. */
function keepPlace(code: string, id: string): string | undefined {
  if (id.includes('/node_modules/') || !code.includes('import.meta')) return undefined
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
}

function hashOf(root: string): string {
  // The joined files name places in this checkout, and packages may be copied to another one with what is cached beside them.
  const hash = createHash('sha256').update(`${process.version} ${root}`)
  for (const path of globSync(sources, { cwd: root }).sort()) {
    hash.update(`\n${path}\n`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex').slice(0, 16)
}
