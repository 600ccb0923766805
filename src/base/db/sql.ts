/** One statement: text with `$n` placeholders, and its parameters. A statement with a `name` is prepared once in each session. */
export type Sql = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
  /** Sent before BEGIN has been answered. Only for a statement that reads: if BEGIN fails, it runs outside the transaction. */
  readonly pipelined?: boolean
  /** Its rows are arrays of texts as the server writes them, or null; the first two are the names and the type oids of the columns. */
  readonly asTexts?: boolean
}

/** A row of a statement with `asTexts`. */
export type TextRow = readonly (string | null)[]

const fragmentMark = Symbol('sql')
type Fragment = Sql & {
  readonly [fragmentMark]: true
  readonly strings: readonly string[]
  readonly parts: readonly unknown[]
}

const constantTexts = new WeakMap<TemplateStringsArray, { text: string; name: string }>()
let constantCount = 0

/**
 * Returns a statement from a tagged template: `` sql`select * from app where id = ${id}` ``. Values become parameters; nested `sql`
 * fragments are spliced in. A Buffer is sent in binary format (see `arrays.ts`), everything else as text.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
  if (!parts.some(isFragment)) {
    let constant = constantTexts.get(strings)
    if (!constant) {
      constant = { text: withPlaceholders(strings), name: `s${++constantCount}` }
      constantTexts.set(strings, constant)
    }
    return fragment(strings, parts, constant.text, parts, constant.name)
  }
  const flatStrings: string[] = [strings[0]!]
  const values: unknown[] = []
  for (const [i, part] of parts.entries()) splice(flatStrings, values, part, strings[i + 1]!)
  return fragment(strings, parts, withPlaceholders(flatStrings), values)
}

/** Returns text as part of a statement. Only for text of our own code, such as a table name of a closed list, never for input. */
export function raw(text: string): Sql {
  return fragment([text], [], text, [])
}

/** Returns a name as SQL writes it: in quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Joins fragments with a separator. An empty list gives an empty fragment. */
export function join(fragments: readonly Sql[], separator: string): Sql {
  const strings = ['']
  const values: unknown[] = []
  for (const [i, part] of fragments.entries()) splice(strings, values, part, '', i === 0 ? '' : separator)
  return fragment(strings, values, withPlaceholders(strings), values)
}

const composedNames = new Map<string, string>()

/** Gives a composed statement a name, so that it is planned once in each session. Only for a statement with few possible texts. */
export function prepared(statement: Sql): Sql {
  let name = composedNames.get(statement.text)
  if (name === undefined) {
    name = `c${composedNames.size + 1}`
    composedNames.set(statement.text, name)
  }
  return { text: statement.text, values: statement.values, name }
}

/** Lets a statement that only reads follow BEGIN without waiting for its answer. */
export function pipelined(statement: Sql): Sql {
  return { ...statement, pipelined: true }
}

/**
 * Returns rows as texts, for a statement whose columns are not known. One with a `name` is sent by the extended protocol, in which the
 * server refuses a text of several statements.
 */
export function asTexts(text: string, name?: string): Sql {
  return { text, values: [], asTexts: true, ...(name !== undefined && { name }) }
}

function fragment(
  strings: readonly string[],
  parts: readonly unknown[],
  text: string,
  values: readonly unknown[],
  name?: string,
): Fragment {
  return { text, values, ...(name === undefined ? {} : { name }), [fragmentMark]: true, strings, parts }
}

function isFragment(value: unknown): value is Fragment {
  return typeof value === 'object' && value !== null && fragmentMark in value
}

function splice(strings: string[], values: unknown[], part: unknown, after: string, before = ''): void {
  strings[strings.length - 1] += before
  if (!isFragment(part)) {
    values.push(part)
    strings.push(after)
    return
  }
  strings[strings.length - 1] += part.strings[0]!
  for (const [i, inner] of part.parts.entries()) splice(strings, values, inner, part.strings[i + 1]!)
  strings[strings.length - 1] += after
}

function withPlaceholders(strings: readonly string[]): string {
  return strings.reduce((text, piece, i) => (i === 0 ? piece : `${text}$${i}${piece}`), '')
}
