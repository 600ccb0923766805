import type { Answer } from './answer.ts'
import type { CallOptions, SentRequest } from './transport.ts'

/** Sends a request and returns a successful answer; throws an EaselError for a refusal. */
export type Ask = (request: SentRequest, options: CallOptions) => Promise<Answer>

/** Yields the entries of pages with numbers, until a page is empty. `member` names the list in each answer. */
export async function* byPage<Entry>(
  ask: Ask,
  request: SentRequest,
  member: string,
  options: CallOptions,
): AsyncGenerator<Entry> {
  for (let page = 0; ; page++) {
    const entries = entriesOf<Entry>(await ask(withQuery(request, { page }), options), member)
    if (entries.length === 0) return
    yield* entries
  }
}

/** Yields the entries of a list that is read from an offset, until a part is empty. `limit` in the query is the size of a part. */
export async function* byOffset<Entry>(
  ask: Ask,
  request: SentRequest,
  member: string,
  options: CallOptions,
): AsyncGenerator<Entry> {
  for (let offset = 0; ; ) {
    const entries = entriesOf<Entry>(await ask(withQuery(request, { offset }), options), member)
    if (entries.length === 0) return
    yield* entries
    offset += entries.length
  }
}

/** Yields the entries of pages whose header `Link` names the next one. */
export function byLink<Entry>(
  ask: Ask,
  request: SentRequest,
  member: string,
  options: CallOptions,
): AsyncGenerator<Entry> {
  return follow(ask, request, member, options, ({ headers }) => cursorIn(headers.get('link') ?? ''))
}

/** Yields the entries of pages whose body has the `cursor` of the next one. */
export function byCursor<Entry>(
  ask: Ask,
  request: SentRequest,
  member: string,
  options: CallOptions,
): AsyncGenerator<Entry> {
  return follow(ask, request, member, options, ({ body }) => (body as { cursor?: string | null }).cursor ?? undefined)
}

async function* follow<Entry>(
  ask: Ask,
  request: SentRequest,
  member: string,
  options: CallOptions,
  nextOf: (answer: Answer) => string | undefined,
): AsyncGenerator<Entry> {
  let cursor: string | undefined
  do {
    const answer = await ask(withQuery(request, { cursor }), options)
    yield* entriesOf<Entry>(answer, member)
    cursor = nextOf(answer)
  } while (cursor !== undefined)
}

function withQuery(request: SentRequest, more: object): SentRequest {
  return { ...request, query: { ...request.query, ...more } }
}

function entriesOf<Entry>({ body }: Answer, member: string): readonly Entry[] {
  return (body as Readonly<Record<string, readonly Entry[] | undefined>>)[member] ?? []
}

/** Reads the cursor of the next page: only this parameter counts, because the address may be relative, or that of a proxy. */
function cursorIn(link: string): string | undefined {
  const next = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link)?.[1]
  return next === undefined ? undefined : (new URL(next, 'http://easel').searchParams.get('cursor') ?? undefined)
}
