import type { WorkSpan } from '../telemetry.ts'
import type { Sql } from './sql.ts'

/** Places that are remembered, by statement. There are fewer statements than that, but for composed ones. */
const placesMax = 5_000
const framesMax = 16

const places = new Map<string, string>()
/** Functions between a store and the stack that is read. A bundle has no paths that tell them apart. */
const ownNames =
  /^(?:Object\.|OpenTransaction\.|async )*(?:query|transaction|recordStatement|recordTransaction|placeOf|readPlace)$/
const ownPaths = /\/base\/(?:db|otel)\/|\/base\/telemetry\.|^node:/

/** Records a statement as part of the active span. */
export function recordStatement<T>(span: WorkSpan, { text }: Sql, work: () => Promise<T>): Promise<T> {
  let place = places.get(text)
  if (place === undefined) {
    place = readPlace()
    if (places.size < placesMax) places.set(text, place)
  }
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': /\w+/.exec(text)?.[0] ?? '' }
  return span.child(place, { kind: 'client', attributes }, work)
}

/** Records a transaction as part of the active span: its statements, and the waits for a session, for BEGIN and for COMMIT. */
export function recordTransaction<T>(span: WorkSpan, work: () => Promise<T>): Promise<T> {
  const attributes = { 'db.system.name': 'postgresql' }
  return span.child(`transaction ${readPlace()}`, { kind: 'client', attributes }, work)
}

/** Returns the file and the function that have called the database, such as `people/intake/flush-store readVersions`. */
function readPlace(): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = framesMax
  const { stack = '' } = new Error()
  Error.stackTraceLimit = limit
  const frames = stack
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, named = '', path = ''] = /^\s*at (?:(.+?) \()?(?:file:\/\/)?(.+?):\d+:\d+\)?$/.exec(line) ?? []
      return path === '' || ownPaths.test(path) || ownNames.test(named) ? [] : [{ named, path }]
    })
  // In a bundle no path has the folder of the sources.
  const { named, path } = frames.find((frame) => frame.path.includes('/src/')) ??
    frames[0] ?? { named: '', path: 'unknown' }
  const [, inSource = path.replace(/^.*\//, '')] = /\/src\/(.+)$/.exec(path) ?? []
  const name = named.includes('anonymous') ? '' : named.replace(/^(?:async |Object\.)+/, '')
  return `${inSource.replace(/\.\w+$/, '')} ${name}`.trim()
}
