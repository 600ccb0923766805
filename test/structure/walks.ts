import { graphOf } from './imports.ts'
import type { Problem, Tree } from './source.ts'

const page = 'ARCHITECTURE.md'
const walksMin = 5
const filesMax = 12

type Walk = { readonly title: string; readonly line: number; readonly files: readonly string[] }

/** The walks of the page: a `###` heading below `## Walks`, then numbered lines that begin with a file of `src`. */
function walksOf(text: string): Walk[] {
  const lines = text.split('\n')
  const begin = lines.indexOf('## Walks')
  const end = lines.findIndex((line, i) => i > begin && line.startsWith('## '))
  const own = begin < 0 ? [] : lines.slice(begin, end < 0 ? undefined : end)
  const heads = own.flatMap((line, i) => (line.startsWith('### ') ? [i] : []))
  return heads.map((head, i) => ({
    title: own[head]!.slice(4),
    line: begin + head + 1,
    files: own.slice(head, heads[i + 1]).flatMap((line) => /^\d+\. `([\w/.-]+\.ts)`/.exec(line)?.[1] ?? []),
  }))
}

/**
 * The walks of the architecture page are true: each of their files exists and is imported by one before it, or by a file at the top of
 * `src`, which gives workers their services. A walk is short and enters no room twice.
 */
export function checkWalks(tree: Tree): Problem[] {
  const source = tree.files.find(({ path }) => path === page)
  if (source === undefined) return []
  const walks = walksOf(source.text)
  const imports = new Map([...graphOf(tree)].map(([path, { imports }]) => [path, imports]))
  const tops = [...imports.keys()].filter((path) => /^src\/[^/]+\.ts$/.test(path))
  const few =
    walks.length < walksMin
      ? [{ path: page, message: `has ${walks.length} walks below "## Walks", of ${walksMin}` }]
      : []
  return [
    ...few,
    ...walks.flatMap(({ title, line, files }) => {
      const complain = (message: string) => ({ path: page, line, message: `"${title}": ${message}` })
      const paths = files.map((file) => `src/${file}`)
      const isReached = (path: string, i: number) =>
        [...tops, ...paths.slice(0, i)].some((earlier) => imports.get(earlier)?.includes(path))
      const rooms = paths.map((path) => path.split('/').slice(1, 3).join('/'))
      const entered = rooms.filter((room, i) => room !== rooms[i - 1])
      const twice = entered.find((room, i) => entered.indexOf(room) < i)
      return [
        ...(files.length === 0 || files.length > filesMax
          ? [complain(`names ${files.length} files, of at most ${filesMax}`)]
          : []),
        ...(twice === undefined ? [] : [complain(`enters ${twice} twice`)]),
        ...paths.filter((path) => !imports.has(path)).map((path) => complain(`${path} is not there`)),
        ...paths
          .filter((path, i) => i > 0 && imports.has(path) && !isReached(path, i))
          .map((path) => complain(`${path} is imported by no file before it`)),
      ]
    }),
  ]
}
