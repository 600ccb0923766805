import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { prepareDashboard } from '../../scripts/prepare-dashboard.mjs'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dashboard/dist')
const kilobyte = 1_024

/**
 * Kilobytes of gzip that the browser loads before the first page, and then for the largest page.
 * Styles are those of the shell, with the largest ones that a page adds.
 */
export type DashboardSizes = {
  readonly 'first script': number
  readonly styles: number
  /** Not compressed again. */
  readonly fonts: number
  readonly 'largest page': number
  /** What the page of a canvas loads besides, with its styles. */
  readonly 'picture of a canvas': number
  /** What is loaded with the field for code, which a page has only when it is shown. */
  readonly 'editor of texts': number
  /** What the page on which a canvas is edited loads, with its picture; the form of an e-mail comes when it is opened. */
  readonly 'editor of a canvas': number
}

/** Builds the dashboard when it is not built as it stands, and returns its sizes. */
export async function builtSizes(): Promise<DashboardSizes> {
  await prepareDashboard(root, process.execPath, () => {})
  const shell = readFileSync(join(dist, 'index.html'), 'utf8')
  const named = [...shell.matchAll(/%ROOT%dashboard\/(assets\/[\w.-]+)/g)].map(([, path]) => path!)
  const pages = list('assets/*-page-*.js')
  if (named.length === 0 || pages.length === 0) throw new Error('the dashboard has another form: mend this function')
  const styles = list('assets/*.css')
  const ofShell = styles.filter((path) => named.includes(path))
  const sizeOfPage = (page: string) => sum([...loadedWith(page)].filter((path) => !named.includes(path)).map(gzipped))
  return {
    'first script': sum(named.filter((path) => path.endsWith('.js')).map(gzipped)),
    styles: sum(ofShell.map(gzipped)) + Math.max(...styles.filter((path) => !ofShell.includes(path)).map(gzipped)),
    fonts: sum(list('assets/*-latin-{wght,400}-normal-*.woff2').map((path) => read(path).length)) / kilobyte,
    'largest page': Math.max(...pages.map(sizeOfPage)),
    'picture of a canvas': sum(list('assets/picture-*.{js,css}').map(gzipped)),
    'editor of a canvas':
      Math.max(...list('assets/canvas-editor-*.js').map(sizeOfPage)) +
      sum(list('assets/picture-*.{js,css}').map(gzipped)),
    'editor of texts': Math.max(...list('assets/code-editor-*.js').map(sizeOfPage)),
  }
}

function list(pattern: string): string[] {
  return globSync(pattern, { cwd: dist }).map((path) => path.replaceAll('\\', '/'))
}

function read(path: string): Buffer {
  return readFileSync(join(dist, path))
}

function gzipped(path: string): number {
  return gzipSync(read(path), { level: 9 }).length / kilobyte
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}

/** Returns a script with the scripts that it imports, and those that they import. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  const imports = read(path)
    .toString()
    .matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)
  for (const [, name] of imports) loadedWith(`assets/${name}`, found)
  return found
}
