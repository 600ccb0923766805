import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { prepareDashboard } from '../../scripts/prepare-dashboard.mjs'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dashboard/dist')
const kilobyte = 1_024

/** What the browser loads before the first page can be shown, and with it, in kilobytes of gzip; fonts are not compressed again. */
const budgets = { script: 150, styles: 25, fonts: 60, page: 40 }

const gzipped = (path: string) => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length / kilobyte
const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
const within = (what: keyof typeof budgets, size: number) =>
  assert.ok(size > 0 && size <= budgets[what], `${what}: ${size.toFixed(1)} kB of ${budgets[what]}`)

test('scripts, styles and fonts of the first view are within their budgets', async () => {
  await prepareDashboard(root, process.execPath, () => {})
  const shell = readFileSync(join(dist, 'index.html'), 'utf8')
  const named = [...shell.matchAll(/%ROOT%dashboard\/(assets\/[\w.-]+)/g)].map(([, path]) => path!)
  const files = globSync('assets/*.{js,css}', { cwd: dist }).map((path) => path.replaceAll('\\', '/'))
  const ofPage = (ending: string) =>
    sum(files.filter((path) => path.endsWith(ending) && !named.includes(path)).map(gzipped))
  const ofShell = (ending: string) => sum(named.filter((path) => path.endsWith(ending)).map(gzipped))
  within('script', ofShell('.js'))
  within('styles', ofShell('.css'))
  within('page', ofPage('.js'))
  const fonts = globSync('assets/*-latin-{wght,400}-normal-*.woff2', { cwd: dist })
  assert.equal(fonts.length, 2)
  within('fonts', sum(fonts.map((path) => readFileSync(join(dist, path)).length)) / kilobyte)
})
