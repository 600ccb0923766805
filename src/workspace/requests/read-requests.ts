import { hostname } from 'node:os'
import { invalid, notFound } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query, Request } from '../../base/http/route.ts'
import { newHiddenId } from '../../base/ids.ts'
import type { KeptBody, LoggedExchange } from './logged-exchange.ts'
import { maskSecrets, maskUrl } from './mask-secrets.ts'
import type { RequestLog } from './request-log.ts'
import {
  filterCharactersMax,
  type LoggedBody,
  type LoggedRequest,
  loggedMethods,
  type RequestReply,
  type RequestsReply,
  requestPageDefault,
  requestPageMax,
  statusClasses,
} from './schema.ts'

export type ReadRequestsServices = {
  readonly requestLog: RequestLog
  readonly workspaces: {
    default(): { readonly workspace_id: number }
    get(workspace_id: number): { readonly settings: { readonly api_log: boolean } }
  }
}

const processName = `${hostname()} ${process.pid}`
/** Names this run of the process in cursors: another one has another log. */
const run = newHiddenId().slice(0, 8)

/** Lists the requests of a workspace that this process has answered, newest first. */
export async function listRequests(
  workspace_id: number,
  request: Request,
  services: ReadRequestsServices,
): Promise<RequestsReply> {
  const { query } = request
  const limit = readLimit(query, requestPageDefault, requestPageMax)
  const matches = readFilters(query)
  const before = readCursor(query)
  const visible = await visibleRequests(workspace_id, request, services)
  const found = visible.filter((entry) => entry.count < before && matches(entry))
  const page = found.slice(0, limit)
  return {
    requests: page.map(summaryOf),
    process: processName,
    recording: services.workspaces.get(workspace_id).settings.api_log,
    cursor: found.length > limit ? `${run}-${page.at(-1)!.count}` : null,
  }
}

/** Reads one request with its bodies. Throws 404. */
export async function readRequest(
  workspace_id: number,
  request: Request,
  services: ReadRequestsServices,
): Promise<RequestReply> {
  const id = (request.params.id ?? '').toLowerCase()
  const entry = (await visibleRequests(workspace_id, request, services)).find((each) => each.id === id)
  if (!entry) {
    throw notFound(
      'This process has no request with this id. Requests are kept for an hour, of many successful ones only some, ' +
        'and each process has its own',
    )
  }
  return {
    request: summaryOf(entry),
    process: processName,
    clock_at: new Date(entry.clockMs).toISOString(),
    ip: entry.ip,
    sent: { headers: entry.sent.headers, body: bodyOf(entry.sent) },
    answered: { headers: entry.answered.headers, body: bodyOf(entry.answered) },
  }
}

async function visibleRequests(
  workspace_id: number,
  { may }: Request,
  { requestLog, workspaces }: ReadRequestsServices,
): Promise<LoggedExchange[]> {
  const isDefault = workspaces.default().workspace_id === workspace_id
  const all = await requestLog.list(workspace_id, isDefault)
  return may ? all.filter(({ ability }) => ability === undefined || may(ability)) : all
}

type Matches = (entry: LoggedExchange) => boolean

function readFilters(query: Query): Matches {
  const [status, method] = [readChoice(query, 'status', statusClasses), readChoice(query, 'method', loggedMethods)]
  const [path, key] = [readText(query, 'path'), readText(query, 'key')]
  const [request_id, text] = [readText(query, 'request_id')?.toLowerCase(), readText(query, 'text')]
  return (entry) =>
    (status === undefined || String(entry.status).startsWith(status[0]!)) &&
    (method === undefined || entry.method === method) &&
    (path === undefined || entry.url.startsWith(path)) &&
    (key === undefined || entry.actor?.id === key || entry.actor?.name === key) &&
    (request_id === undefined || entry.id === request_id) &&
    (text === undefined || hasText(entry, text))
}

function readChoice<const Choice extends string>(query: Query, name: string, choices: readonly Choice[]) {
  const given = readNonEmpty(query, name)
  const known = choices.find((choice) => choice === given)
  if (given !== undefined && !known) throw invalid(`'${name}' must be one of ${choices.join(', ')}`)
  return known
}

function readText(query: Query, name: string): string | undefined {
  const text = readNonEmpty(query, name)
  if (text === undefined || text.length <= filterCharactersMax) return text
  throw invalid(`'${name}' must have at most ${filterCharactersMax} characters`)
}

/** Searches the bytes first, which is quick. A secret must not be found, because then it could be guessed. */
function hasText({ url, refusal, sent, answered }: LoggedExchange, text: string): boolean {
  if (maskUrl(url).includes(text) || refusal?.includes(text)) return true
  return [sent, answered].some(
    ({ start }) => start?.includes(text) && maskSecrets(start.toString('utf8')).includes(text),
  )
}

function readCursor(query: Query): number {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return Number.POSITIVE_INFINITY
  const [, of, count] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(given) ?? []
  if (count === undefined) throw invalid("'cursor' must be the 'cursor' of an earlier response")
  if (of !== run) throw invalid("'cursor' is of another process: begin with the first page")
  return Number(count)
}

function summaryOf(entry: LoggedExchange): LoggedRequest {
  const { id, atMs, method, url, status, ms, actor, items, refusal } = entry
  return {
    id,
    at: new Date(atMs).toISOString(),
    method,
    path: maskUrl(url),
    status,
    ms: Math.round(ms * 10) / 10,
    key: actor?.name ?? null,
    by: actor?.kind === 'key' || actor?.kind === 'admin' || actor?.kind === 'account' ? actor.kind : 'nobody',
    items,
    refusal,
  }
}

function bodyOf({ start, bytes, isCut }: KeptBody): LoggedBody {
  if (!start) return { text: null, bytes, is_cut: false }
  // A body may be cut within a character.
  const text = new TextDecoder().decode(start, { stream: isCut })
  return { text: maskSecrets(text), bytes, is_cut: isCut }
}
