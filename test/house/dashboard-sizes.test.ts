import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { prepareDashboard } from '../../scripts/prepare-dashboard.mjs'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dashboard/dist')
const kilobyte = 1_024

/** Kilobytes of gzip that the browser loads before the first page, and then for each page. Styles are those of all pages together. */
const budgets = { script: 150, styles: 25, fonts: 60, page: 40 }

const gzipped = (path: string) => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length / kilobyte
const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
const within = (what: keyof typeof budgets, size: number, of = '') =>
  assert.ok(size > 0 && size <= budgets[what], `${what} ${of}: ${size.toFixed(1)} kB of ${budgets[what]}`)

/** Returns a script with the scripts that it imports, and those that they import. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  const text = readFileSync(join(dist, path), 'utf8')
  for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) loadedWith(`assets/${name}`, found)
  return found
}

test('scripts, styles and fonts of the first view are within their budgets', async () => {
  await prepareDashboard(root, process.execPath, () => {})
  const shell = readFileSync(join(dist, 'index.html'), 'utf8')
  const named = [...shell.matchAll(/%ROOT%dashboard\/(assets\/[\w.-]+)/g)].map(([, path]) => path!)
  const ofShell = (ending: string) => sum(named.filter((path) => path.endsWith(ending)).map(gzipped))
  within('script', ofShell('.js'))
  within('styles', sum(globSync('assets/*.css', { cwd: dist }).map(gzipped)))
  const pages = globSync('assets/*-page-*.js', { cwd: dist }).map((path) => path.replaceAll('\\', '/'))
  assert.ok(pages.length > 0)
  for (const page of pages) {
    const loaded = [...loadedWith(page)].filter((path) => !named.includes(path))
    within('page', sum(loaded.map(gzipped)), page)
  }
  const fonts = globSync('assets/*-latin-{wght,400}-normal-*.woff2', { cwd: dist })
  assert.equal(fonts.length, 2)
  within('fonts', sum(fonts.map((path) => readFileSync(join(dist, path)).length)) / kilobyte)
})
