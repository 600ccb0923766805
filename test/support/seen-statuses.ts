import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the processes of a run write the statuses that they saw, each to a file of its own. The runner sets it. */
const folder = process.env.EASEL_TEST_STATUSES

type Operations = Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>
/** The paths of the description of the interface. */
export type Paths = Readonly<Record<string, Operations>>

export function describedPaths(): Paths {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')).paths
}

/** Returns the described path to which a request goes; undefined when there is none. Fixed segments come before parameters. */
export function openTemplates(paths: Paths): (method: string, path: string) => string | undefined {
  const templates = Object.keys(paths)
    .map((template) => ({ template, segments: template.split('/') }))
    .sort((a, b) => a.template.split('{').length - b.template.split('{').length)
  const bySize = Map.groupBy(templates, ({ segments }) => segments.length)
  return (method, path) => {
    const given = path.replace(/\?.*/s, '').split('/')
    const found = bySize.get(given.length)?.find(({ template, segments }) => {
      if (!(method.toLowerCase() in paths[template]!)) return false
      return segments.every((segment, i) => (segment.startsWith('{') ? given[i] !== '' : segment === given[i]))
    })
    return found?.template
  }
}

let templateOf: ReturnType<typeof openTemplates> | undefined
const seen = new Set<string>()

/** Records the status of an answer for the check at the end of the run (`described-statuses.alone.test.ts`). */
export function recordStatus(method: string, path: string, status: number): void {
  if (folder === undefined) return
  templateOf ??= openTemplates(describedPaths())
  const template = templateOf(method, path)
  const line = `${method} ${template} ${status}\n`
  if (template === undefined || seen.has(line)) return
  seen.add(line)
  appendFileSync(join(folder, `${process.pid}`), line)
}

/** Returns what all processes of this run have seen: `POST /users/track 201`, each once; undefined outside of a run. */
export function listSeenStatuses(): string[] | undefined {
  if (folder === undefined) return undefined
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  // A killed process may have left part of a line.
  return [...new Set(lines)].filter((line) => /^[A-Z]+ \S+ \d{3}$/.test(line)).sort()
}
