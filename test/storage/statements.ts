import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Statement = { path: string; line: number; text: string }

const root = join(import.meta.dirname, '../..')

/** Returns every statement of the product: `sql` templates with `$n` for values, and migrations. */
export function listStatements(): Statement[] {
  const files = ['src', 'cli'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  const programs = files.filter((path) => path.endsWith('.ts'))
  return programs.flatMap((path) => statementsOf(path, readFileSync(join(root, path), 'utf8')))
}

/** Returns the `sql` templates of one source text. A nested template is a separate statement, and `$n` in the outer one. */
export function statementsOf(path: string, source: string): Statement[] {
  const found: Statement[] = []
  for (const match of source.matchAll(/\bsql`/g)) {
    const line = source.slice(0, match.index).split('\n').length
    found.push({ path, line, text: templateAt(source, match.index + match[0].length).text })
  }
  return found
}

function templateAt(source: string, start: number): { text: string; end: number } {
  let text = ''
  let values = 0
  for (let at = start; at < source.length; at++) {
    if (source[at] === '`') return { text, end: at }
    if (source[at] === '\\') text += source[++at]
    else if (source.startsWith('${', at)) {
      at = valueEnd(source, at + 2)
      text += `$${++values}`
    } else text += source[at]
  }
  throw new Error('a template without an end')
}

function valueEnd(source: string, start: number): number {
  for (let at = start, depth = 0; at < source.length; at++) {
    if (source[at] === '`') at = templateAt(source, at + 1).end
    else if (source[at] === '{') depth++
    else if (source[at] === '}' && depth-- === 0) return at
  }
  throw new Error('a value without an end')
}

type Rule = { name: string; breaks: (sql: string) => boolean }

/** Statements that a sharded database refuses, or answers differently without an error. */
const rules: readonly Rule[] = [
  {
    name: 'gives no time or chance of its own',
    breaks: has(/\b(now|clock_timestamp|statement_timestamp|random|gen_random_uuid|nextval)\s*\(/i),
  },
  { name: 'takes no advisory lock: they hold on one node only', breaks: has(/\bpg_(try_)?advisory/i) },
  { name: 'uses no MERGE: refused with parameters', breaks: has(/\bmerge\s+into\b/i) },
  { name: 'detaches no partition concurrently', breaks: has(/\bdetach\b.*\bconcurrently\b/is) },
  { name: 'neither listens nor notifies: it reaches one node only', breaks: has(/^\s*(un)?(listen|notify)\b/im) },
  { name: 'never moves a row to another bucket', breaks: has(/\bset\s+([a-z_]+\s*=[^,]*,\s*)*bucket\s*=/i) },
  { name: 'is one command', breaks: has(/;\s*\S/) },
  { name: 'names no constraint: their names carry the shard', breaks: has(/\bon\s+constraint\b/i) },
  {
    name: 'asks for no range of buckets: it would reach all shards',
    breaks: has(/\bbucket\s+between\b|\bbucket\s*[<>]/i),
  },
  { name: 'locks rows of named buckets only', breaks: locksWithoutBucket },
  { name: 'does not read the table that it changes in a WITH', breaks: readsWhatItChanges },
]

/** Returns the rules that a statement breaks, given the tables that have a bucket. */
export function brokenRules(text: string, distributed: readonly string[]): string[] {
  const sql = text.replace(/--.*$/gm, ' ').replace(/'(?:[^']|'')*'/g, "''")
  const broken = rules.filter(({ breaks }) => breaks(sql)).map(({ name }) => name)
  const touched = distributed.filter((table) => new RegExp(`\\b(from|join|into|update)\\s+${table}\\b`, 'i').test(sql))
  return touched.length > 0 && !/bucket/i.test(sql) ? [...broken, `names the bucket of ${touched.join(', ')}`] : broken
}

function has(pattern: RegExp): (sql: string) => boolean {
  return (sql) => pattern.test(sql)
}

function locksWithoutBucket(sql: string): boolean {
  if (!/\bfor\s+(no\s+key\s+)?update\b/i.test(sql) || !/bucket/i.test(sql)) return false
  return !/\bbucket\s*=\s*(\$\d+|any\s*\(|[a-z_.]+)/i.test(sql) && !/\(\s*[a-z_.]*bucket\s*,[^)]*\)\s*(in|=)/i.test(sql)
}

function readsWhatItChanges(sql: string): boolean {
  if (!/^\s*with\b/i.test(sql)) return false
  const changes = [...sql.matchAll(/\bas\s+(?:materialized\s+)?\(\s*(?:insert\s+into|update|delete\s+from)\s+(\w+)/gi)]
  return changes.some(([change, table]) => {
    const rest = sql.replace(change, '')
    return new RegExp(`\\b(from|join)\\s+${table}\\b`, 'i').test(rest)
  })
}
