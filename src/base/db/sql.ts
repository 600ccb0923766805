/** One statement: text with `$n` placeholders and its parameters. `name` is set for text that never changes, so it is prepared once. */
export type Sql = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
  /** It only reads, so that it does no harm outside its transaction either: it is sent before BEGIN has been answered. */
  readonly pipelined?: boolean
}

const fragmentMark = Symbol('sql')
type Fragment = Sql & {
  readonly [fragmentMark]: true
  readonly strings: readonly string[]
  readonly parts: readonly unknown[]
}

const constantTexts = new WeakMap<TemplateStringsArray, { text: string; name: string }>()
let constantCount = 0

/**
 * A statement written as a tagged template: `` sql`select * from app where id = ${id}` ``. Values become parameters, nested
 * `sql` fragments are spliced in. A Buffer is sent in binary format (see `arrays.ts`), everything else as text.
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

/** Text that comes from our own code (a table name of a closed list), never from input. */
export function raw(text: string): Sql {
  return fragment([text], [], text, [])
}

/** Fragments with a separator between them; nothing when the list is empty. */
export function join(fragments: readonly Sql[], separator: string): Sql {
  const strings = ['']
  const values: unknown[] = []
  for (const [i, part] of fragments.entries()) splice(strings, values, part, '', i === 0 ? '' : separator)
  return fragment(strings, values, withPlaceholders(strings), values)
}

const composedNames = new Map<string, string>()

/** A composed statement whose text is one of a few: it gets a name too, so that it is planned once per connection. */
export function prepared(statement: Sql): Sql {
  let name = composedNames.get(statement.text)
  if (name === undefined) {
    name = `c${composedNames.size + 1}`
    composedNames.set(statement.text, name)
  }
  return { text: statement.text, values: statement.values, name }
}

/** A statement that only reads. Sent at once, it follows BEGIN without waiting for its answer. */
export function pipelined(statement: Sql): Sql {
  return { ...statement, pipelined: true }
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
