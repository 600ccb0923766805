/** Prints schemas of `/openapi.json` as TypeScript, for the clients that `npm run generate` writes. */
export type JsonSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
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

export type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

export type Described = {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** An operation with its path and its method in capitals. */
export type FoundOperation = { readonly path: string; readonly method: string; readonly described: Described }

/** Whether members have their descriptions above them. */
export type TypeStyle = { readonly described: boolean }

const columnsMax = 130
const referenceStart = '#/components/schemas/'
const plainName = /^[A-Za-z_$][\w$]*$/

export function operationsIn({ paths }: OpenApi): FoundOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
  )
}

/** Returns the name of a type of an operation: `getUsers` and `Reply` give `GetUsersReply`. */
export function nameOf(operationId: string, suffix: string): string {
  return `${operationId[0]!.toUpperCase()}${operationId.slice(1)}${suffix}`
}

/** Returns the name of the component that a schema refers to; undefined when it has its own text. */
export function referenceOf({ $ref }: JsonSchema): string | undefined {
  return $ref?.startsWith(referenceStart) ? $ref.slice(referenceStart.length) : undefined
}

/** Returns the path of an operation as a literal with its path parameters in place. */
export function printPath(path: string): string {
  return path.includes('{') ? `\`${path.replaceAll(/\{(\w+)\}/g, '${encodeURIComponent($1)}')}\`` : `'${path}'`
}

/** Prints the type of parameters as one object. */
export function printParameters(parameters: readonly Parameter[], style: TypeStyle): string {
  const members = parameters.flatMap(({ name, required, schema }) => [
    ...commentOf(schema, style, '  '),
    `  readonly ${memberName(name)}${required ? '' : '?'}: ${typeOf(schema, '', style)}${required ? '' : ' | undefined'}`,
  ])
  return `{\n${members.join('\n')}\n}`
}

/** Prints the type of a schema. What is no type of a schema that Easel has is `unknown`. */
export function typeOf(schema: JsonSchema, indent: string, style: TypeStyle): string {
  const { type, properties, items, anyOf, allOf } = schema
  const reference = referenceOf(schema)
  if (reference !== undefined) return reference
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return unionOf(schema.enum.map(literal), indent, style)
  if (anyOf) return anyOf.map((each) => typeOf(each, indent, style)).join(' | ')
  if (allOf) return allOf.map((each) => bracketed(typeOf(each, indent, style))).join(' & ')
  if (typeof type === 'object') return type.map((each) => typeOf({ type: each }, indent, style)).join(' | ')
  if (type === 'array') return `readonly ${bracketed(typeOf(items ?? {}, indent, style))}[]`
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'object' || properties) return objectType(schema, indent, style)
  return 'unknown'
}

/** Prints one of many values to a line, so that differences are short. The dashboard has no such long lists. */
function unionOf(texts: readonly string[], indent: string, { described }: TypeStyle): string {
  const flat = texts.join(' | ')
  return described && flat.length > columnsMax ? texts.map((text) => `\n${indent}    | ${text}`).join('') : flat
}

function objectType(
  { properties = {}, required = [], additionalProperties, patternProperties }: JsonSchema,
  indent: string,
  style: TypeStyle,
): string {
  const [values] = Object.values(patternProperties ?? {})
  const others = values ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
  const entries = Object.entries(properties)
  if (entries.length === 0) return `{ readonly [name: string]: ${typeOf(others, indent, style)} }`
  const deeper = `${indent}  `
  const members = entries.map(([name, schema]) => ({
    comment: commentOf(schema, style, deeper),
    text: `readonly ${memberName(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, deeper, style)}`,
  }))
  if (additionalProperties === true) members.push({ comment: [], text: 'readonly [name: string]: unknown' })
  const flat = `{ ${members.map(({ text }) => text).join('; ')} }`
  const hasComments = members.some(({ comment }) => comment.length > 0)
  if (!hasComments && !flat.includes('\n') && indent.length + flat.length < columnsMax / 2) return flat
  const lines = members.flatMap(({ comment, text }) => [...comment, deeper + text])
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** Returns the lines with the description of a schema; none when the style or the schema has none. */
export function commentOf({ description }: JsonSchema, { described }: TypeStyle, indent: string): string[] {
  if (!described || description === undefined) return []
  return [`${indent}/** ${description.replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, ' ')} */`]
}

function memberName(name: string): string {
  return plainName.test(name) ? name : literal(name)
}

function bracketed(text: string): string {
  return text.includes(' | ') || text.includes(' & ') || text.startsWith('readonly ') ? `(${text})` : text
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
}
