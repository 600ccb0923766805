/** The operations that the dashboard uses, by `operationId` in `/openapi.json`. */
const operations: readonly string[] = [
  'getAdminSession',
  'getAdminClock',
  'getAdminAbout',
  'postAdminDemo',
  'postAdminClock',
  'getAdminPeopleSearch',
  'getAdminPeopleId',
  'getAdminRequests',
  'getAdminRequestsId',
  'getAdminWork',
  'postAdminWorkRequestIdPositionRetry',
  'postAdminWorkRequestIdPositionDiscard',
  'getAdminPeopleIdTimeline',
  'getAdminPeopleIdEntries',
  'postAdminPeopleIdTrack',
  'postAdminPeopleMerge',
  'deleteAdminPeopleId',
  'postAdminSuppressions',
  'deleteAdminSuppressions',
  'getAdminWhy',
  'getAdminSegmentsIdWhy',
  'getAdminCanvases',
  'getAdminCampaigns',
  'getAdminSegments',
  'getAdminDispatches',
  'getAdminDispatchesDispatchId',
  'postAdminDispatchesDispatchIdPause',
  'postAdminDispatchesDispatchIdResume',
  'postAdminDispatchesDispatchIdCancel',
  'postAdminDispatchesDispatchIdSendMissed',
  'getAdminKeys',
  'postAdminKeys',
  'deleteAdminKeysId',
  'getAdminKeyPermissions',
  'getAdminAudit',
  'getAdminAuditId',
  'getAdminInbox',
  'deleteAdminInbox',
  'getAdminInboxId',
  'getAdminSuppressions',
  'getAdminMessages',
  'getAdminMessagesId',
  'postAdminMessagesMessageIdResend',
  'postAdminMessagesMessageIdLeave',
]

const columnsMax = 130

type JsonSchema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly additionalProperties?: boolean | JsonSchema
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

type Described = {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >
}

export type OpenApi = { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> }

/** Prints the client of the dashboard: a type of each reply, a function for each operation, and the limits of its parameters. */
export function printClient({ paths }: OpenApi): string {
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
  )
  const printed = operations.map((id) => {
    const one = found.find(({ described }) => described.operationId === id)
    if (!one) throw new Error(`/openapi.json has no operation ${id} (scripts/client.ts)`)
    return printOperation(one)
  })
  const head = [
    '// Written by npm run generate from /openapi.json. The list of operations is in scripts/client.ts.',
    "import { type Operation, withQuery } from './operation.ts'",
  ]
  return `${[head.join('\n'), ...printed].join('\n\n')}\n`
}

function printOperation({ path, method, described }: { path: string; method: string; described: Described }): string {
  const { operationId, summary, parameters = [], requestBody, responses } = described
  const [reply, queryName, bodyName] = ['Reply', 'Query', 'Body'].map((suffix) => nameOf(operationId, suffix))
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const named = parameters.filter((parameter) => parameter.in === 'path')
  const body = requestBody?.content['application/json']?.schema
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const isOptional = query.every(({ required }) => !required)
  const takes = [
    ...named.map(({ name }) => `${name}: string`),
    ...(body ? [`body: ${bodyName}`] : []),
    ...(query.length > 0 ? [`query: ${queryName}${isOptional ? ' = {}' : ''}`] : []),
  ]
  const pathText =
    named.length === 0 ? `'${path}'` : `\`${path.replaceAll(/\{(\w+)\}/g, '${encodeURIComponent($1)}')}\``
  const url = query.length > 0 ? `withQuery(${pathText}, query)` : pathText
  const limits = limitsOf(query)
  return [
    `export type ${reply} = ${typeOf(success?.content?.['application/json']?.schema ?? {}, '')}`,
    '',
    ...(body ? [`export type ${bodyName} = ${typeOf(body, '')}`, ''] : []),
    ...(query.length === 0 ? [] : [`export type ${queryName} = ${queryType(query)}`, '']),
    ...(summary === undefined ? [] : [`/** ${summary} */`]),
    `export function ${operationId}(${takes.join(', ')}): Operation<${reply}> {`,
    `  return { method: '${method}', path: ${url}${body ? ', body' : ''} }`,
    '}',
    ...(limits === undefined ? [] : ['', `export const ${operationId}Limits = ${limits} as const`]),
  ].join('\n')
}

function nameOf(operationId: string, suffix: string): string {
  return `${operationId[0]!.toUpperCase()}${operationId.slice(1)}${suffix}`
}

function queryType(query: readonly Parameter[]): string {
  const members = query.map(({ name, required, schema }) => {
    return `readonly ${name}${required ? '' : '?'}: ${typeOf(schema, '')}${required ? '' : ' | undefined'}`
  })
  return `{\n${members.map((member) => `  ${member}`).join('\n')}\n}`
}

/** Returns the limits of parameters as an object literal; undefined when none has one. */
function limitsOf(query: readonly Parameter[]): string | undefined {
  const limited = query.flatMap(({ name, schema }) => {
    const { minimum, maximum, maxLength } = schema
    const limits = Object.entries({ minimum, maximum, maxLength }).filter(([, limit]) => limit !== undefined)
    return limits.length === 0 ? [] : [`${name}: { ${limits.map(([key, limit]) => `${key}: ${limit}`).join(', ')} }`]
  })
  if (limited.length === 0) return undefined
  const flat = `{ ${limited.join(', ')} }`
  return flat.length < columnsMax / 2 ? flat : `{\n${limited.map((one) => `  ${one},`).join('\n')}\n}`
}

/** Prints the type of a schema. What is no type of a schema that Easel has is `unknown`. */
function typeOf(schema: JsonSchema, indent: string): string {
  const { type, properties, items, anyOf, allOf } = schema
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (anyOf) return anyOf.map((each) => typeOf(each, indent)).join(' | ')
  if (allOf) return allOf.map((each) => typeOf(each, indent)).join(' & ')
  if (type === 'array') return `readonly ${bracketed(typeOf(items ?? {}, indent))}[]`
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'object' || properties) return objectType(schema, indent)
  return 'unknown'
}

function objectType(
  { properties = {}, required = [], additionalProperties, patternProperties }: JsonSchema,
  indent: string,
) {
  const [values] = Object.values(patternProperties ?? {})
  const others = values ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
  const entries = Object.entries(properties)
  if (entries.length === 0) return `{ readonly [name: string]: ${typeOf(others, indent)} }`
  const deeper = `${indent}  `
  const members = entries.map(([name, member]) => {
    const isRequired = required.includes(name)
    return `readonly ${name}${isRequired ? '' : '?'}: ${typeOf(member, deeper)}`
  })
  const flat = `{ ${members.join('; ')} }`
  if (!flat.includes('\n') && indent.length + flat.length < columnsMax / 2) return flat
  return `{\n${members.map((member) => deeper + member).join('\n')}\n${indent}}`
}

function bracketed(text: string): string {
  return text.includes(' | ') || text.includes(' & ') || text.startsWith('readonly ') ? `(${text})` : text
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
}
