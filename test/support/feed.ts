import assert from 'node:assert/strict'
import type { Service } from './harness.ts'
import type { Answer } from './http-requests.ts'

/** One line of the feed. */
export type FeedLine = {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly cursor: string
  readonly data: {
    readonly person: { readonly service_id: string; readonly external_id: string | null }
    // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it.
    readonly [member: string]: any
  }
}

/** A page of the feed: its lines, and the cursor of the next one. */
export type FeedPage = { readonly lines: readonly FeedLine[]; readonly next: string }

type Reader = Pick<Service, 'send' | 'adminToken'>

export function askFeed(service: Reader, query: string): Promise<Answer> {
  return service.send('GET', `/admin/feed${query}`, undefined, { key: service.adminToken })
}

export function pageOf({ status, headers, text }: Answer): FeedPage {
  assert.equal(status, 200, text)
  assert.equal(headers['content-type'], 'application/x-ndjson')
  const lines =
    text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as FeedLine)
  return { lines, next: String(headers['x-next-cursor']) }
}

export async function readPage(service: Reader, query = ''): Promise<FeedPage> {
  return pageOf(await askFeed(service, query))
}

/** Reads the feed page by page until `enough`, waiting for events. Returns all lines. */
export async function readFeed(
  service: Reader,
  enough: (lines: readonly FeedLine[]) => boolean,
  query = '',
): Promise<FeedLine[]> {
  const lines: FeedLine[] = []
  let cursor = ''
  while (!enough(lines)) {
    const page = await readPage(service, `?wait=20&limit=7${cursor}${query}`)
    lines.push(...page.lines)
    cursor = `&cursor=${page.next}`
  }
  return lines
}

/** Returns what happened to the person with this external_id, in order. */
export function typesOf(lines: readonly FeedLine[], external_id: string): string[] {
  return lines.filter(({ data }) => data.person.external_id === external_id).map(({ type }) => type)
}
