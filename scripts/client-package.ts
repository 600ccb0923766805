import {
  commentOf,
  type FoundOperation,
  type JsonSchema,
  nameOf,
  type OpenApi,
  operationsIn,
  type Parameter,
  printParameters,
  printPath,
  referenceOf,
  typeOf,
} from './print-type.ts'

/** The operations of administrators that the command line and the examples use. Those of the public interface are all in the package. */
const adminOperations: readonly string[] = [
  'getAdminClock',
  'postAdminClock',
  'postAdminApply',
  'postAdminDemo',
  'getAdminWorkspace',
  'getAdminSettings',
  'getAdminKeys',
  'postAdminKeys',
  'deleteAdminKeysId',
  'getAdminPeople',
  'postAdminPeople',
  'getAdminInbox',
  'getAdminInboxId',
  'getAdminWhy',
]

const style = { described: true }
const keyHeader = 'Idempotency-Key'
const notice = '// Written by npm run generate from /openapi.json, with scripts/client-package.ts.'

/** The kinds of lists, by the query parameter that a reader of the next page sets. `cursor` is in the answer or in its header `Link`. */
const pagings: Readonly<Record<string, (reply: JsonSchema) => string | undefined>> = {
  page: () => 'byPage',
  offset: () => 'byOffset',
  cursor: ({ properties = {} }) => ('cursor' in properties ? 'byCursor' : 'byLink'),
}

/** What the package prints of one operation. */
type Printed = { readonly types: readonly string[]; readonly method: string; readonly iterator?: string }

/** Prints the generated files of `client/`, by path: the types, and a method for each operation. */
export function clientPackage(openapi: OpenApi): Readonly<Record<string, string>> {
  const { schemas } = openapi.components
  const operations = operationsIn(openapi).filter(isInPackage)
  const missing = adminOperations.filter((id) => !operations.some(({ described }) => described.operationId === id))
  if (missing.length > 0) throw new Error(`/openapi.json has no operation ${missing.join(', ')}`)
  const printed = operations.map((operation) => printOperation(operation, schemas))
  const own = printed.flatMap(({ types }) => types)
  const used = usedComponents(operations, schemas)
  const shared = used.map((name) => printType(name, schemas[name]!))
  return {
    'client/src/types.ts': `${[notice, ...shared, ...own].join('\n\n')}\n`,
    'client/src/operations.ts': printOperations(printed),
  }
}

// An operation that only refuses has no method.
function isInPackage({ path, described }: FoundOperation): boolean {
  if (path.startsWith('/admin/')) return adminOperations.includes(described.operationId)
  return Object.keys(described.responses).some((status) => status.startsWith('2'))
}

function printType(name: string, schema: JsonSchema): string {
  return [...commentOf(schema, style, ''), `export type ${name} = ${typeOf(schema, '', style)}`].join('\n')
}

/** Returns the names of the components that operations refer to, also through others. */
function usedComponents(operations: readonly FoundOperation[], schemas: Components): string[] {
  const used = new Set<string>(['Error', 'TrackError'].filter((name) => name in schemas))
  const open: unknown[] = [...operations.map(({ described }) => described), ...[...used].map((name) => schemas[name])]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const name = referenceOf(value)
    if (name !== undefined && !used.has(name)) {
      used.add(name)
      open.push(schemas[name])
    }
    open.push(...Object.values(value).filter((each) => typeof each === 'object'))
  }
  return [...used].sort()
}

type Components = OpenApi['components']['schemas']

/** Returns the name of a type of an operation, and its text unless the name is that of a component. */
function named(id: string, suffix: string, schema: JsonSchema, schemas: Components): { name: string; types: string[] } {
  const reference = referenceOf(schema)
  if (reference !== undefined) return { name: `T.${reference}`, types: [] }
  const name = nameOf(id, suffix)
  if (name in schemas) throw new Error(`${name} is the name of a component of /openapi.json and of a type of ${id}`)
  return { name: `T.${name}`, types: [printType(name, schema)] }
}

function printOperation({ path, method, described }: FoundOperation, schemas: Components): Printed {
  const { operationId: id, summary, parameters = [], requestBody } = described
  const isIn = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const [places, query, headers] = [isIn('path'), isIn('query'), isIn('header')]
  const bodySchema = requestBody?.content['application/json']?.schema
  const body = bodySchema && named(id, 'Body', bodySchema, schemas)
  const reply = replyOf(described, schemas)
  const queryName = nameOf(id, 'Query')
  const takes = [
    ...places.map(({ name }) => `${name}: string`),
    ...(body ? [`body: ${body.name}`] : []),
    ...(query.length > 0 ? [`query: T.${queryName}${isOptional(query) ? ' = {}' : ''}`] : []),
    optionsOf(headers),
  ]
  const request = [
    `method: '${method}'`,
    `path: ${printPath(path)}`,
    ...(query.length > 0 ? ['query'] : []),
    ...(body ? ['body'] : []),
  ]
  const comment = `  /** ${sentence(summary)}\`${method} ${path}\` */`
  const head = `  ${id}(${takes.join(', ')}): Promise<${reply.name}> {`
  const sent = `    return this.#send({ ${request.join(', ')} }, options)`
  const iterator = printIterator({ id, path, places, query, headers, reply, queryName, summary })
  return {
    types: [
      ...(body?.types ?? []),
      ...(query.length > 0 ? [`export type ${queryName} = ${printParameters(query, style)}`] : []),
      ...reply.types,
    ],
    method: [comment, head, sent, '  }'].join('\n'),
    ...(iterator !== undefined && { iterator }),
  }
}

function sentence(summary: string | undefined): string {
  return summary === undefined ? '' : `${summary.replace(/\.$/, '')}. `
}

type Reply = { readonly name: string; readonly types: readonly string[]; readonly schema: JsonSchema }

/** Returns the type of a successful answer: `string` for a text, `void` without a body. */
function replyOf({ operationId, responses }: FoundOperation['described'], schemas: Components): Reply {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2'))!
  if (success.content === undefined) return { name: 'void', types: [], schema: {} }
  const schema = success.content['application/json']?.schema
  if (schema === undefined) return { name: 'string', types: [], schema: {} }
  const reference = referenceOf(schema)
  const whole = reference === undefined ? schema : schemas[reference]!
  return { ...named(operationId, 'Reply', schema, schemas), schema: whole }
}

function isOptional(parameters: readonly Parameter[]): boolean {
  return parameters.every(({ required }) => !required)
}

/** Prints the last parameter of a method. A key for repeats is an option of the operations that take one. */
function optionsOf(headers: readonly Parameter[]): string {
  const base = headers.some(({ name }) => name === keyHeader) ? 'KeyedOptions' : 'CallOptions'
  const others = headers.filter(({ name }) => name !== keyHeader && name !== 'If-None-Match')
  if (others.length === 0) return `options: ${base} = {}`
  const members = others.map(({ name, required }) => `readonly '${name}'${required ? '' : '?'}: string`)
  const isFree = isOptional(others)
  return `options: ${base} & { readonly headers${isFree ? '?' : ''}: { ${members.join('; ')} } }${isFree ? ' = {}' : ''}`
}

type Listed = {
  readonly id: string
  readonly path: string
  readonly places: readonly Parameter[]
  readonly query: readonly Parameter[]
  readonly headers: readonly Parameter[]
  readonly reply: Reply
  readonly queryName: string
  readonly summary: string | undefined
}

/** Prints the generator of a list; undefined for what is no list of pages. */
function printIterator(listed: Listed): string | undefined {
  const { id, path, places, query, headers, reply, queryName, summary } = listed
  const turned = query.find(({ name }) => name in pagings)?.name
  if (turned === undefined) return
  const lists = Object.entries(reply.schema.properties ?? {}).filter(([, { type }]) => type === 'array')
  const [member] = lists.map(([name]) => name)
  // The pages of an answer with several lists are of one of them only.
  if (member === undefined || lists.length > 1) return
  const others = query.filter(({ name }) => name !== turned)
  const queryType = `Omit<T.${queryName}, '${turned}'>`
  const takes = [
    ...places.map(({ name }) => `${name}: string`),
    ...(others.length > 0 ? [`query: ${queryType}${isOptional(others) ? ' = {}' : ''}`] : []),
    optionsOf(headers),
  ]
  const item = `NonNullable<${reply.name}['${member}']>[number]`
  const request = `{ method: 'GET', path: ${printPath(path)}${others.length > 0 ? ', query' : ''} }`
  return [
    `  /** ${sentence(summary)}Every entry of \`GET ${path}\` */`,
    `  ${id}(${takes.join(', ')}): AsyncGenerator<${item}> {`,
    `    return ${pagings[turned]!(reply.schema)}(this.#ask, ${request}, '${member}', options)`,
    '  }',
  ].join('\n')
}

function printOperations(printed: readonly Printed[]): string {
  const iterators = printed.flatMap(({ iterator }) => (iterator === undefined ? [] : [iterator]))
  return `${[
    notice,
    "import { type Ask, byCursor, byLink, byOffset, byPage } from './paging.ts'",
    "import type { CallOptions, KeyedOptions, SentRequest } from './transport.ts'",
    "import type * as T from './types.ts'",
    '',
    'type Send = <Reply>(request: SentRequest, options: KeyedOptions) => Promise<Reply>',
    '',
    '/** A method for each operation, with its name in `/openapi.json`. */',
    'export class Operations {',
    '  readonly #send: Send',
    '',
    '  constructor(send: Send) {',
    '    this.#send = send',
    '  }',
    '',
    printed.map(({ method }) => method).join('\n\n'),
    '}',
    '',
    '/** The operations with pages. Each yields the entries of all pages, and asks for a page when its first entry is wanted. */',
    'export class Lists {',
    '  readonly #ask: Ask',
    '',
    '  constructor(ask: Ask) {',
    '    this.#ask = ask',
    '  }',
    '',
    iterators.join('\n\n'),
    '}',
  ].join('\n')}\n`
}
