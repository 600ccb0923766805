import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A request as an existing client sends it. */
export type Sent = { readonly method: string; readonly path: string; readonly body: object | null }

/** Requests that clients send to paths that begin so, with their places in the file; placeholders stay as they are. */
export function sentTo(prefix: string): readonly (readonly [index: number, sent: Sent])[] {
  const all = JSON.parse(readFileSync(join(import.meta.dirname, '../wire/requests.json'), 'utf8')) as Sent[]
  return [...all.entries()].filter(([, { path }]) => path.startsWith(prefix))
}
