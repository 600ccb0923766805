import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const folder = join(import.meta.dirname, '../dashboard')
const dist = join(folder, 'dist')
// A process that runs meanwhile reads the old files until the new ones are complete.
const next = join(dist, '.next')

await build({
  root: folder,
  configFile: join(folder, 'vite.config.ts'),
  logLevel: 'warn',
  build: { outDir: next, emptyOutDir: true },
})

// Fonts are compressed already.
for (const name of globSync('assets/*.{js,css,svg}', { cwd: next })) {
  const path = join(next, name)
  const bytes = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  )
}

// The server replaces the placeholder by the way from the page to the root, so that a proxy may add a path before it.
const shell = join(next, 'index.html')
writeFileSync(shell, readFileSync(shell, 'utf8').replaceAll('"./assets/', '"%ROOT%dashboard/assets/'))

const old = join(dist, '.old')
rmSync(old, { recursive: true, force: true })
if (existsSync(join(dist, 'assets'))) renameSync(join(dist, 'assets'), old)
for (const name of ['assets', 'index.html']) renameSync(join(next, name), join(dist, name))
for (const done of [old, next]) rmSync(done, { recursive: true, force: true })
