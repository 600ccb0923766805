import { type ErrorDialect, errorDialectOf, errorSchemas, statuses } from './dialects.ts'
import { keyCharactersMax } from './idempotency.ts'
import { defaultLimits, type LimitName, type RateLimit, sharedKeyLimits } from './limits.ts'
import { nameSchemas } from './openapi-components.ts'
import { tagTexts } from './openapi-tags.ts'
import type { Page } from './page.ts'
import { jsonLinesType, type Route, type Schema, statusOf } from './route.ts'

type Json = { [name: string]: unknown }
type ObjectSchema = { type?: unknown; properties?: { [name: string]: Schema }; required?: readonly string[] }

/** `/openapi.json`: the route table as an OpenAPI 3.1 document. */
export function openApiPages(routes: readonly Route[], version: string): Page[] {
  let text: string | undefined
  return [
    {
      path: '/openapi.json',
      // Made at the first request: it is rarely needed, and every start would wait for it.
      render: async () => {
        text ??= JSON.stringify(describe(routes, version))
        return { status: 200, headers: { 'Content-Type': 'application/json' }, body: text }
      },
    },
  ]
}

/** Returns the document. It is deterministic, so that a reviewer can read a diff of it. */
export function describe(routes: readonly Route[], version: string): Json {
  const { paths, schemas } = nameSchemas({ ...pathsOf(routes), ...servicePaths }, namedErrors())
  return {
    openapi: '3.1.0',
    info: {
      title: 'Easel',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'A self-hosted customer-engagement server. Every answer except 204 is JSON with a `message`, which is `success` when the ' +
        'request succeeded. Paths may end in a slash. At every path, another method is 405, and headers above 16 KB are 431.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(tagOf)), 'service'].map((name) => ({ name, description: tagTexts[name] ?? name })),
    paths,
    components: {
      securitySchemes,
      headers: commonHeaders,
      schemas,
    },
  }
}

const securitySchemes = {
  api_key: { type: 'http', scheme: 'bearer', description: 'An API key with the permission of the endpoint.' },
  scim_token: { type: 'http', scheme: 'bearer', description: 'A SCIM token, with the header X-Request-Origin.' },
  admin_token: { type: 'http', scheme: 'bearer', description: 'The value of EASEL_ADMIN_TOKEN.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'easel_session',
    description:
      'The session of a signed-in account; with https the name begins with `__Host-`. Writes also need `X-CSRF-Token`.',
  },
}

const headerOf = (type: string, description: string) => ({ description, schema: { type } })
const commonHeaders = {
  'X-Request-Id': headerOf('string', 'A UUID that is also in the log.'),
  'X-RateLimit-Limit': headerOf('integer', 'Requests allowed in the window.'),
  'X-RateLimit-Remaining': headerOf('integer', 'Requests left in the window.'),
  'X-RateLimit-Reset': headerOf('integer', 'The end of the window, UTC epoch seconds.'),
  'Retry-After': headerOf('integer', 'Seconds after which a retry makes sense.'),
  ETag: headerOf('string', 'Changes with the content; for `If-None-Match` and `If-Match`.'),
  'Idempotent-Replayed': headerOf('string', '`true`: this is the stored answer of an earlier request.'),
}

const refused = { name: 'The request is refused and has no effect.', headers: [] }
type FailureText = { readonly name: string; readonly headers: readonly string[] }

const errors: { readonly [status: number]: FailureText } = {
  [statuses.invalid]: refused,
  [statuses.unauthenticated]: { name: 'The bearer token is missing or unknown.', headers: [] },
  [statuses.forbidden]: { name: 'The key lacks the permission, or may not be used from this address.', headers: [] },
  [statuses.notFound]: { name: 'Nothing has this name or id.', headers: [] },
  [statuses.conflict]: { name: 'The request with this Idempotency-Key is still running.', headers: ['Retry-After'] },
  [statuses.unprocessable]: { name: 'The Idempotency-Key was used with another request.', headers: [] },
  [statuses.timedOut]: { name: 'The body did not arrive in time.', headers: [] },
  [statuses.tooLarge]: {
    name: 'The body is larger than 4 MB; 1 MB under `/scim/` and `/webhooks/`, at `/sdk/data`, and with a key in the body.',
    headers: [],
  },
  [statuses.unsupportedType]: {
    name: 'The body is not declared as JSON, or its Content-Encoding is neither gzip nor br.',
    headers: [],
  },
  [statuses.rateLimited]: { name: 'The rate limit is reached.', headers: ['Retry-After', ...rateHeaders()] },
  500: { name: 'An error of the service.', headers: [] },
  [statuses.notImplemented]: { name: 'The service does not offer this.', headers: [] },
  [statuses.unavailable]: { name: 'The database is unavailable or busy; try again.', headers: ['Retry-After'] },
}

/** The texts of a 403 for other callers than API keys. */
const forbidden: { readonly [permission: string]: string } = {
  admin: 'The account of the session lacks the ability, or the `X-CSRF-Token` of a write is wrong.',
  scim: 'The token may not be used from this origin or address, or may not do this.',
}
const noWorkspace = { name: 'There is no such workspace.', headers: [] }
const tooManyTokens = { name: 'Too many unknown bearer tokens came from this address.', headers: ['Retry-After'] }

function pathsOf(routes: readonly Route[]): Json {
  const paths: { [path: string]: Json } = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operation(route)
  }
  return paths
}

function operation(route: Route): Json {
  const status = statusOf(route)
  const limited = route.limit !== undefined
  const own = Object.entries(route.refusals ?? {})
  const failures = Object.keys(errors).filter((code) => mayFail(route, Number(code)))
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    ...(route.summary !== undefined && { summary: route.summary }),
    description: policyOf(route),
    security: securityOf(route),
    ...parametersOf(route),
    ...(route.body && { requestBody: { required: true, content: json(route.body, route.example) } }),
    responses: {
      ...(status < statuses.invalid && {
        [status]: success(
          route.reply[status] ?? null,
          [
            ...(limited ? rateHeaders() : []),
            ...(route.idempotent ? ['Idempotent-Replayed'] : []),
            ...(route.tagged ? ['ETag'] : []),
          ],
          route,
        ),
      }),
      ...Object.fromEntries(failures.map((code) => [code, failure(route, textOf(route, Number(code)))])),
      ...Object.fromEntries(own.map(([code, name]) => [code, ownAnswer(route, Number(code), name)])),
    },
  }
}

/** A refusal of one endpoint. An answer such as 304 has no body. */
function ownAnswer(route: Route, status: number, name: string): Json {
  if (status < statuses.invalid) return { description: name, headers: headerRefs(['X-Request-Id']) }
  const own = route.refusedWith?.[status]
  if (own) return { description: name, headers: headerRefs(['X-Request-Id']), content: json(own) }
  return failure(route, { name, headers: errors[status]?.headers ?? [] })
}

/** `POST /users/export/ids` is `postUsersExportIds`. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

function tagOf({ path }: Route): string {
  return path.split('/').find((segment) => segment !== '' && !/^v\d+$/.test(segment)) ?? 'service'
}

const scimPolicy = 'Needs a SCIM token and its X-Request-Origin.'

function policyOf({ permission, ability, limit, keyMember }: Route): string {
  const who =
    { admin: `Needs the admin token, or a session with \`${ability}\`.`, public: 'Needs no key.', scim: scimPolicy }[
      permission as string
    ] ?? `Permission: \`${permission}\`.${keyMember ? ` The key may be \`${keyMember}\` of the body instead.` : ''}`
  if (limit === undefined) return `${who} No rate limit.`
  const shared = sharedKeyLimits[limit]
  const text = `${who} Rate limit${shared ? ' of each API key' : ''}: ${limitText(limit)}.`
  return shared ? `${text} Rate limit of each address: ${limitText(shared.address)}.` : text
}

function limitText(limit: LimitName): string {
  return `${rateText(defaultLimits[limit])}, see \`settings.rate_limits.${limit}\``
}

function rateText(limit: RateLimit): string {
  if (limit === 'unlimited') return 'none by default'
  return Object.entries(limit)
    .map(([window, count]) => `${count} ${window.replaceAll('_', ' ')}`)
    .join(', ')
}

function securityOf({ permission, keyMember }: Route): Json[] {
  if (permission === 'public') return []
  if (permission === 'scim') return [{ scim_token: [] }]
  return permission === 'admin' ? [{ admin_token: [] }, { session: [] }] : [{ api_key: [] }, ...(keyMember ? [{}] : [])]
}

const originHeader = {
  name: 'X-Request-Origin',
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description: 'The request origin of the SCIM token, such as the origin of the dashboard.',
}

const keyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: keyCharactersMax, pattern: '^[\\x21-\\x7e]*$' },
  description: 'A repetition of the request with the same key gets the first answer and has no further effect.',
}

const tagHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description,
})
const ifNoneMatchHeader = tagHeader(
  'If-None-Match',
  'The ETag of an earlier answer. The answer is 304 while it is true.',
)
const ifMatchHeader = tagHeader(
  'If-Match',
  'The ETag of what was read. The change is refused when something else is stored now.',
)

function parametersOf({ method, path, params, query, idempotent, tagged, permission }: Route): Json {
  const described = (params as ObjectSchema | undefined)?.properties ?? {}
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name!,
    in: 'path',
    required: true,
    schema: described[name!] ?? { type: 'string' },
  }))
  const { properties = {}, required = [] } = (query ?? {}) as ObjectSchema
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  const inHeader = [
    ...(permission === 'scim' ? [originHeader] : []),
    ...(idempotent ? [keyHeader] : []),
    ...(tagged ? [method === 'GET' ? ifNoneMatchHeader : ifMatchHeader] : []),
  ]
  const all = [...inPath, ...inQuery, ...inHeader]
  return all.length === 0 ? {} : { parameters: all }
}

function mayFail(route: Route, status: number): boolean {
  const { permission, limit, method, path, idempotent, reply } = route
  if (status === statuses.notFound) return path.includes('{') || hasWorkspace(route)
  if (status === statuses.notImplemented) return status in reply
  if (status === statuses.conflict || status === statuses.unprocessable) return idempotent === true
  if (status === statuses.unauthenticated) return permission !== 'public'
  if (status === statuses.forbidden) return permission !== 'public'
  if (status === statuses.rateLimited) return limit !== undefined || permission !== 'public'
  const bodyStatuses: readonly number[] = [statuses.timedOut, statuses.tooLarge, statuses.unsupportedType]
  return method !== 'GET' || !bodyStatuses.includes(status)
}

/** Whether `?workspace=` selects a workspace. */
function hasWorkspace({ permission, query }: Route): boolean {
  return permission === 'admin' && 'workspace' in ((query as ObjectSchema | undefined)?.properties ?? {})
}

function textOf({ limit, path, permission }: Route, status: number): FailureText {
  if (status === statuses.rateLimited && limit === undefined) return tooManyTokens
  if (status === statuses.notFound && !path.includes('{')) return noWorkspace
  const name = status === statuses.forbidden ? forbidden[permission] : undefined
  return name === undefined ? errors[status]! : { name, headers: [] }
}

function success(schema: Schema | null, more: readonly string[], { errors: dialect, answersLines }: Route): Json {
  const headers = headerRefs(['X-Request-Id', ...more])
  if (schema === null) return { description: 'Done; no body.', headers }
  if (answersLines)
    return { description: 'Done: an object in each line.', headers, content: { [jsonLinesType]: { schema } } }
  return { description: 'Done.', headers, content: json(dialect === 'scim' ? schema : withMessage(schema)) }
}

const message = { type: 'string', const: 'success' }
const done = { title: 'done', type: 'object', required: ['message'], properties: { message } }

function withMessage(schema: ObjectSchema): Schema {
  if (schema.type !== 'object') return schema
  const { message: own, ...others } = schema.properties ?? {}
  if (own !== undefined) return isSuccess(own) && Object.keys(others).length === 0 ? done : schema
  const properties = { ...schema.properties, message }
  if (Object.keys(properties).length === 1) return done
  return { ...schema, properties, required: [...(schema.required ?? []), 'message'] }
}

function isSuccess(schema: Schema): boolean {
  return (schema as { const?: unknown }).const === message.const
}

const errorNames = {
  standard: 'Error',
  admin: 'AdminError',
  track: 'TrackError',
  catalog: 'CatalogError',
  scim: 'ScimError',
} as const

function namedErrors(): { [name: string]: Schema } {
  const dialects = Object.keys(errorNames) as ErrorDialect[]
  return Object.fromEntries(dialects.map((dialect) => [errorNames[dialect], errorSchemas[dialect]]))
}

function failure(route: Route, { name, headers }: FailureText): Json {
  const schema = { $ref: `#/components/schemas/${errorNames[errorDialectOf(route)]}` }
  return { description: name, headers: headerRefs(['X-Request-Id', ...headers]), content: json(schema) }
}

function rateHeaders(): string[] {
  return ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
}

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function json(schema: Schema, example?: object): Json {
  return { 'application/json': { schema, ...(example && { example }) } }
}

const stateSchema = {
  title: 'ServiceState',
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
}
const state = (description: string) => ({ description, content: json(stateSchema) })
const headersTooLarge = { 431: state('The headers are larger than 16 KB.') }
const needsNothing = 'Needs no key. No rate limit.'
const text = { 200: { description: 'Done.', content: { 'text/plain': { schema: { type: 'string' } } } } }

/** The pages for machines. */
const servicePaths = {
  '/health': {
    get: {
      operationId: 'getHealth',
      tags: ['service'],
      summary: 'Whether the process answers requests.',
      description: needsNothing,
      security: [],
      responses: { 200: state('The process answers.'), ...headersTooLarge },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReady',
      tags: ['service'],
      summary: 'Whether the database and the workers are working.',
      description: needsNothing,
      security: [],
      responses: {
        200: state('They are working.'),
        503: state('Some are not working; the message names them.'),
        ...headersTooLarge,
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['service'],
      summary: 'Metrics as Prometheus text.',
      description: 'Needs the value of `EASEL_METRICS_TOKEN` as a bearer token, when that is set. No rate limit.',
      security: [],
      responses: {
        ...text,
        401: state('The bearer token is not that of `EASEL_METRICS_TOKEN`.'),
        404: state('Without `EASEL_METRICS_TOKEN` only this machine may read them.'),
      },
    },
  },
}
