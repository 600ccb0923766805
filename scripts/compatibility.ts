import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * An endpoint of the interface that existing clients call. `partly` says what differs where it is served, `missing` why it is not served.
 */
export type KnownPath = {
  readonly method: string
  readonly path: string
  readonly partly?: string
  readonly missing?: string
}

/** An endpoint of the route table. */
export type ServedPath = { readonly method: string; readonly path: string }

/** The endpoints that the page compares with the route table. */
export function readKnownPaths(): KnownPath[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'known-paths.json'), 'utf8'))
}

const head = `# Compatibility

Which endpoints of the interface Easel serves. Existing clients call those of the first table. [api-decisions.md](api-decisions.md) says how
each endpoint behaves. Written by \`npm run generate\` from the route table and \`scripts/known-paths.json\`.

`

/** Returns the page of endpoints that are served, partly served and not served. */
export function compatibilityPage(known: readonly KnownPath[], served: readonly ServedPath[]): string {
  const isServed = new Set(served.map(keyOf))
  const isKnown = new Set(known.map(keyOf))
  const rows = known.map((one) => [endpointOf(one), ...verdictOf(one, isServed.has(keyOf(one)))])
  const own = served.filter((one) => !isKnown.has(keyOf(one)) && !/^\/(admin|scim)\//.test(one.path))
  const counts = ['yes', 'partly', 'no'].map((verdict) => rows.filter(([, each]) => each === verdict).length)
  return [
    head,
    `${counts[0]} endpoints are served, ${counts[1]} partly, and ${counts[2]} are not.\n\n`,
    table(['endpoint', 'served', 'why'], rows),
    '\n## Further endpoints\n\nThese are served too. Those under `/admin` and `/scim` are in `/openapi.json`.\n\n',
    table(
      ['endpoint'],
      own.map((one) => [endpointOf(one)]),
    ),
  ].join('')
}

function verdictOf({ partly = '', missing = 'It is not made yet.' }: KnownPath, isServed: boolean): [string, string] {
  if (!isServed) return ['no', missing]
  return [partly === '' ? 'yes' : 'partly', partly]
}

function endpointOf({ method, path }: ServedPath): string {
  return `\`${method} ${path}\``
}

/** Two endpoints are the same when only the names of their parameters differ. */
function keyOf({ method, path }: ServedPath): string {
  return `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) =>
    `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |'),
  )
  return `${lines.join('\n')}\n`
}
