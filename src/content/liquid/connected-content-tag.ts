import { type Context, type Emitter, type Liquid, Tag, type TagToken, type TopLevelToken } from 'liquidjs'
import { rerenderText } from './rerender.ts'
import { runOf } from './run.ts'
import type { ContentRequest, ContentResponse } from './source-query.ts'
import {
  type Piece,
  readPieces,
  type Span,
  splitSpan,
  trimSpan,
  unquoted,
  wordsSpan,
  writePieces,
} from './tag-pieces.ts'

/** Seconds for which a response to a GET is cached when the template does not specify it. */
const defaultCacheS = 300
const cacheSMax = 14_400
const bodyCharactersMax = 65_536
const headersMax = 50

const options = [
  ...['save', 'method', 'body', 'headers', 'content_type', 'basic_auth', 'cache_max_age'],
  ...['retry', 'no_cache', 'rerender'],
] as const
type Option = (typeof options)[number]
const optionStart = new RegExp(`^:(${options.join('|')})(?![\\w-])`)
const statusMember = '__http_status_code__'
const defaultName = 'connected'

/** `{% connected_content URL :save name :method post :headers {...} :body ... %}` sends a request while a text is rendered. */
export class ConnectedContentTag extends Tag {
  readonly #url: readonly Piece[]
  readonly #options = new Map<Option, readonly Piece[]>()

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    const spans = optionsOf(token.input, wordsSpan(token))
    const url = trimSpan(token.input, spans[0]![1])
    if (url[0] === url[1]) throw new Error('connected_content needs a URL')
    this.#url = readPieces(token, url, liquid)
    for (const [name, span] of spans.slice(1)) {
      this.#options.set(name as Option, readPieces(token, trimSpan(token.input, span), liquid))
    }
    const name = this.#options.get('save')?.[0]
    if (this.#options.has('save') && !(typeof name === 'string' && /^[\w-]+$/.test(name)))
      throw new Error('":save" of connected_content needs the name of a variable')
  }

  *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const request = (yield this.#request(context)) as ContentRequest
    const response = (yield runOf(context).query!({ kind: 'fetch', request })) as ContentResponse
    if (response !== undefined && 'refused' in response) throw new Error(`connected_content: ${response.refused}`)
    if (response !== undefined) context.memoryLimit.use(response.text.length)
    const name = this.#options.get('save')?.[0] as string | undefined
    const hasText = response !== undefined && response.text !== ''
    const json = hasText ? parseJson(response.text) : undefined
    if (json !== undefined) context.bottom()[name ?? defaultName] = withStatus(json, response!.status)
    else {
      const isSuccess = hasText && response.status >= 200 && response.status < 300
      const text = isSuccess ? response.text : ''
      const output = this.#options.has('rerender') ? yield rerenderText(text, context, this.liquid) : text
      if (name === undefined) emitter.write(output)
      else context.bottom()[name] = isSuccess ? output : null
    }
  }

  *#request(context: Context): Generator<unknown, ContentRequest, unknown> {
    const written: Partial<Record<Option, string>> = {}
    for (const [name, pieces] of this.#options) written[name] = (yield writePieces(pieces, context)) as string
    const { body, basic_auth } = written
    if (body !== undefined && body.length > bodyCharactersMax)
      throw new Error(`":body" of connected_content is longer than ${bodyCharactersMax} characters`)
    const method = written.method?.toUpperCase() || 'GET'
    return {
      url: unquoted((yield writePieces(this.#url, context)) as string),
      method,
      headers: { ...contentType(written), ...readHeaders(written.headers) },
      ...(body !== undefined && method !== 'GET' && { body }),
      ...(basic_auth !== undefined && { basic_auth: unquoted(basic_auth) }),
      cacheS: cacheSeconds(written, method),
      retry: this.#options.has('retry'),
    }
  }
}

/** Returns the spans of the URL and of the value of each option. An unknown word after a colon is part of the value before it. */
function optionsOf(input: string, [start, end]: Span): [Option | 'url', Span][] {
  const found: [Option | 'url', Span][] = []
  let name: Option | 'url' = 'url'
  let from = start
  let jsonEnd = start
  // Each value is searched for JSON once: an unclosed brace would make every search run to the end of the tag.
  const maybeJson = new Set<Option | 'url'>(['headers', 'body'])
  for (const [word] of splitSpan(input, [start, end], /\s/)) {
    if (word < jsonEnd) continue
    if (maybeJson.delete(name)) jsonEnd = endOfJson(input, word, end)
    const option = optionStart.exec(input.slice(word, Math.min(word + 20, end)))
    if (!option) continue
    found.push([name, [from, word]])
    name = option[1] as Option
    from = word + option[0].length
  }
  found.push([name, [from, end]])
  return found
}

/** Returns the end of the JSON object or list that begins at `start`; `start` when there is none. */
function endOfJson(input: string, start: number, end: number): number {
  if (input[start] !== '[' && (input[start] !== '{' || input[start + 1] === '{')) return start
  let depth = 0
  let isString = false
  for (let at = start; at < end; at++) {
    const char = input[at]!
    if (isString && char === '\\') at++
    else if (char === '"') isString = !isString
    else if (!isString && '{['.includes(char)) depth++
    else if (!isString && '}]'.includes(char) && --depth === 0) return at + 1
  }
  return start
}

function contentType({ content_type, method }: Partial<Record<Option, string>>): Record<string, string> {
  if (content_type) return { 'content-type': unquoted(content_type) }
  return method !== undefined && method.toUpperCase() !== 'GET'
    ? { 'content-type': 'application/x-www-form-urlencoded' }
    : {}
}

function readHeaders(text = '{}'): Record<string, string> {
  const headers = parseJson(text)
  if (headers === null || typeof headers !== 'object' || Array.isArray(headers))
    throw new Error('":headers" of connected_content must be an object of texts')
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  if (entries.length > headersMax) throw new Error(`":headers" of connected_content are more than ${headersMax}`)
  return Object.fromEntries(entries)
}

function cacheSeconds(written: Partial<Record<Option, string>>, method: string): number {
  if (written.no_cache !== undefined) return 0
  const maxAge = Number(written.cache_max_age)
  if (written.cache_max_age && Number.isFinite(maxAge)) return Math.min(Math.max(maxAge, 0), cacheSMax)
  return method === 'GET' ? defaultCacheS : 0
}

function withStatus(json: unknown, status: number): unknown {
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? { ...json, [statusMember]: status } : json
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An answer that is not JSON is text.
    return undefined
  }
}
