import { type Chain, chainAt, findChain, isUnkept, itemAttributes, pathOf } from './path.ts'
import { type Attribute, userResource } from './schema.ts'
import { type TextMistake, type Token, tokensOf } from './tokens.ts'

/** UTF-16 units of a filter. */
export const filterCharactersMax = 2000
/** Parentheses and brackets inside of each other. */
export const filterDepthMax = 8
/** Comparisons of a filter. */
export const filterTermsMax = 50

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/** Paths as the schema writes them, inside of brackets from the item on. A moment is a text; `eq null` asks for what is not there. */
export type Term =
  | { readonly path: string; readonly operator: 'pr' }
  | { readonly path: string; readonly operator: Comparison; readonly value: string | boolean | null }

/** A filter (RFC 7644, section 3.4.2.2). `some`: one item of the list of that path is meant by `of`. */
export type Filter =
  | Term
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly some: string; readonly of: Filter }

/** Reads a filter about resources that have these attributes. */
export function parseFilter(
  text: string,
  among: readonly Attribute[] = userResource,
): Filter | { mistake: TextMistake } {
  if (text.length > filterCharactersMax) {
    return { mistake: { at: filterCharactersMax, message: `a filter has at most ${filterCharactersMax} characters` } }
  }
  const read = tokensOf(text)
  if ('mistake' in read) return read
  const parsing = new Parsing(read.tokens)
  const filter = parsing.whole({ among, list: undefined })
  return parsing.mistake ? { mistake: parsing.mistake } : filter
}

/** The filter between the brackets of a path, which is about items of `list`; `tokens` end with it. */
export function parseSelection(tokens: readonly Token[], list: Attribute): Filter | { mistake: TextMistake } {
  const parsing = new Parsing(tokens)
  const filter = parsing.whole(inside(list))
  return parsing.mistake ? { mistake: parsing.mistake } : filter
}

/** The filter as text, with as few parentheses as it needs: parsed again it is the same. */
export function printFilter(filter: Filter): string {
  if ('all' in filter) return filter.all.map((each) => grouped(each, 'any' in each || 'all' in each)).join(' and ')
  if ('any' in filter) return filter.any.map((each) => grouped(each, 'any' in each)).join(' or ')
  if ('not' in filter) return `not ${grouped(filter.not, true)}`
  if ('some' in filter) return `${filter.some}[${printFilter(filter.of)}]`
  if (filter.operator === 'pr') return `${filter.path} pr`
  return `${filter.path} ${filter.operator} ${JSON.stringify(filter.value)}`
}

function grouped(filter: Filter, isGroup: boolean): string {
  return isGroup ? `(${printFilter(filter)})` : printFilter(filter)
}

/**
 * A term about a list, said of its items: one of them is meant, and by `ne` also where there is none. Undefined when the term is not about
 * a list, or asks whether there is anything in it.
 */
export function itemwise(term: Term, among: readonly Attribute[]): Filter | undefined {
  const [head, ...rest] = chainAt(term.path, among)
  if (!head.multiValued || rest.length === 0) return undefined
  const some: Filter = { some: head.name, of: { ...term, path: pathOf(rest) } }
  const isAbsence = term.operator === 'ne' ? term.value !== null : term.operator === 'eq' && term.value === null
  return isAbsence ? { any: [{ not: { path: head.name, operator: 'pr' } }, some] } : some
}

/** What names mean here: attributes of the resource, or of an item of `list`. */
type Scope = { readonly among: readonly Attribute[]; readonly list: Attribute | undefined }

function inside(list: Attribute): Scope {
  return { among: itemAttributes(list), list }
}

const nothing: Filter = { any: [] }
const order = ['gt', 'ge', 'lt', 'le']
const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', ...order]

/** Goes down the tokens. After a mistake it stands at the end, so that whatever is under way ends; the first one is told. */
class Parsing {
  mistake: TextMistake | undefined
  private readonly tokens: readonly Token[]
  private next = 0
  private depth = 0
  private terms = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  whole(scope: Scope): Filter {
    const filter = this.any(scope)
    if (this.token.kind !== 'end') this.wrong('here "and", "or" or the end is wanted')
    return filter
  }

  private any(scope: Scope): Filter {
    const parts = [this.all(scope)]
    while (this.takesWord('or')) parts.push(this.all(scope))
    return parts.length === 1 ? parts[0]! : { any: parts }
  }

  private all(scope: Scope): Filter {
    const parts = [this.one(scope)]
    while (this.takesWord('and')) parts.push(this.one(scope))
    return parts.length === 1 ? parts[0]! : { all: parts }
  }

  private one(scope: Scope): Filter {
    const isDenied = this.takesWord('not')
    if (this.token.kind === '(') {
      const inner = this.enclosed(')', scope)
      return isDenied ? { not: inner } : inner
    }
    if (isDenied) return this.wrong('after "not" a parenthesis is wanted')
    const { token } = this
    if (token.kind !== 'word') return this.wrong('here the name of an attribute is wanted')
    const chain = findChain(token.text, scope.among)
    if (chain === undefined) return this.wrong(unknownName(token.text, scope))
    if (scope.list === undefined && chain.some(({ isFilterable }) => !isFilterable)) {
      return this.wrong(`${pathOf(chain)} is not searched by`)
    }
    this.next++
    return this.token.kind === '[' ? this.selection(chain) : this.term(chain)
  }

  /** `emails[type eq "work"]`, also with `.value eq "..."` behind it, which is one more condition on the same item. */
  private selection(chain: Chain): Filter {
    const list = chain.at(-1)!
    if (!list.multiValued) return this.wrong(`${pathOf(chain)} is not a list`)
    const scope = inside(list)
    const of = this.enclosed(']', scope)
    const { token } = this
    if (token.kind !== 'word' || !token.text.startsWith('.')) return { some: pathOf(chain), of }
    const member = findChain(token.text.slice(1), scope.among)
    if (member === undefined) return this.wrong(unknownName(token.text.slice(1), scope))
    this.next++
    const term = this.term(member)
    return { some: pathOf(chain), of: { all: 'all' in of ? [...of.all, term] : [of, term] } }
  }

  private enclosed(end: ')' | ']', scope: Scope): Filter {
    if (this.depth === filterDepthMax) return this.wrong(`a filter is nested at most ${filterDepthMax} deep`)
    this.next++
    this.depth++
    const filter = this.any(scope)
    if (this.token.kind !== end) return this.wrong(`here "and", "or" or "${end}" is wanted`)
    this.next++
    this.depth--
    return filter
  }

  private term(chain: Chain): Filter {
    const { token } = this
    const operator = token.kind === 'word' ? token.text.toLowerCase() : ''
    if (operator !== 'pr' && !comparisons.includes(operator)) {
      return this.wrong(`here an operator is wanted: ${comparisons.join(', ')} or pr`)
    }
    if (this.terms === filterTermsMax) return this.wrong(`a filter has at most ${filterTermsMax} comparisons`)
    this.terms++
    this.next++
    if (operator === 'pr') return { path: pathOf(chain), operator }
    const compared = comparedBy(chain)
    if (compared === undefined) return this.wrong(`${pathOf(chain)} has parts: compare one of them, or ask with pr`)
    return this.comparison(compared, operator as Comparison, token.at)
  }

  private comparison(chain: Chain, operator: Comparison, at: number): Filter {
    const { token } = this
    const { type } = chain.at(-1)!
    const isEquality = operator === 'eq' || operator === 'ne'
    if (type === 'boolean' && !isEquality)
      return this.wrong(`${pathOf(chain)} is true or false: it is compared by eq and ne`, at)
    if (type === 'dateTime' && !isEquality && !order.includes(operator)) {
      return this.wrong(`${pathOf(chain)} is a moment: it has no parts to compare`, at)
    }
    if (token.kind !== 'word' && token.kind !== 'text') return this.wrong('here a value is wanted')
    const value = token.kind === 'word' && token.text === 'null' ? null : token.text
    if (value === null && !isEquality) return this.wrong('null is compared by eq and ne')
    // Clients leave the quotation marks out, of addresses above all.
    if (type === 'string' && token.kind === 'word' && value !== null && operator !== 'eq') {
      return this.wrong('here a text in quotation marks is wanted')
    }
    if (type === 'dateTime' && value !== null && readInstant(value) === undefined) {
      return this.wrong('here a moment is wanted, such as "2026-01-31T10:00:00Z"')
    }
    if (type === 'boolean' && value !== null && !/^(?:true|false)$/i.test(value))
      return this.wrong('here true or false is wanted')
    this.next++
    const meant = type === 'boolean' && value !== null ? value.toLowerCase() === 'true' : value
    return { path: pathOf(chain), operator, value: meant }
  }

  private get token(): Token {
    return this.tokens[this.next]!
  }

  private takesWord(wanted: string): boolean {
    const { token } = this
    const isIt = token.kind === 'word' && token.text.toLowerCase() === wanted
    if (isIt) this.next++
    return isIt
  }

  private wrong(message: string, at = this.token.at): Filter {
    this.mistake ??= { at, message }
    this.next = this.tokens.length - 1
    return nothing
  }
}

function unknownName(text: string, { list }: Scope): string {
  if (isUnkept(text)) return 'this attribute is not kept here'
  return list === undefined ? 'no attribute has this name' : `${list.name} have no attribute of this name`
}

/** A list with values is compared by them: `emails eq "x"` is `emails.value eq "x"`. */
function comparedBy(chain: Chain): Chain | undefined {
  const { type, multiValued, subAttributes } = chain.at(-1)!
  if (type !== 'complex') return chain
  const value = multiValued && subAttributes?.find(({ name }) => name === 'value')
  return value ? [...chain, value] : undefined
}

const instant =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** Epoch milliseconds of a dateTime of RFC 7643, section 2.3.5, or of a day, which begins in UTC; undefined when it is none. */
export function readInstant(text: string): number | undefined {
  const whole = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  const day = whole.slice(0, 10)
  if (!instant.test(whole) || !new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().startsWith(day)) return undefined
  return Date.parse(whole.toUpperCase())
}
