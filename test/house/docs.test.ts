import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'client/*.md', 'dashboard/*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root })
/** A page that is read in one sitting. */
const architectureLinesMax = 130
const link = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g

/** Returns the anchor of a heading, as hosts of Markdown make it. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
    return heading!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
  })
}

test('every link of a page leads to a file of the project, and to a heading of it', () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    return [...text.matchAll(link)].flatMap(([whole, path, anchor]) => {
      const target = path === '' ? join(root, page) : join(root, dirname(page), path!)
      const isThere = existsSync(target) && (!anchor || anchorsOf(readFileSync(target, 'utf8')).includes(anchor))
      return isThere ? [] : [`${page}: ${whole.slice(1)}`]
    })
  })
  assert.deepEqual(broken, [])
})

test('every section of the decisions links to its tests', () => {
  const text = readFileSync(join(root, 'docs/api-decisions.md'), 'utf8')
  const sections = text.split(/^(?=##+ )/m).slice(1)
  const without = sections.filter((section) => !/^##+ Contents\n/.test(section) && !/\n\nTests: \[/.test(section))
  assert.deepEqual(
    without.map((section) => section.split('\n')[0]),
    [],
  )
})

test('the page about the architecture stays short', () => {
  const lines = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').trimEnd().split('\n').length
  assert.ok(lines <= architectureLinesMax, `it has ${lines} lines of at most ${architectureLinesMax}`)
})
