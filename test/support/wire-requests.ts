import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A recorded request of an existing client. */
export type Sent = { readonly method: string; readonly path: string; readonly body: object | null }

/** Returns the recorded requests to paths with this prefix, with their index in the file. Placeholders are not filled in. */
export function sentTo(prefix: string): readonly (readonly [index: number, sent: Sent])[] {
  const all = JSON.parse(readFileSync(join(import.meta.dirname, '../wire/requests.json'), 'utf8')) as Sent[]
  return [...all.entries()].filter(([, { path }]) => path.startsWith(prefix))
}
