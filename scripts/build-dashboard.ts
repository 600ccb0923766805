import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const folder = join(import.meta.dirname, '../dashboard')

await build({ root: folder, configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' })

// Fonts are compressed already.
for (const name of globSync('assets/*.{js,css,svg}', { cwd: join(folder, 'dist') })) {
  const path = join(folder, 'dist', name)
  const bytes = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  )
}

// The server replaces the placeholder by the way from the page to the root, so that a proxy may add a path before it.
const shell = join(folder, 'dist/index.html')
writeFileSync(shell, readFileSync(shell, 'utf8').replaceAll('"./assets/', '"%ROOT%dashboard/assets/'))
