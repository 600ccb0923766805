import { type AttributeChain, chainPath, findChain, getChain, isNotStored, itemAttributes } from './path.ts'
import { type Attribute, userResource } from './schema.ts'
import { type TextMistake, type Token, tokenize } from './tokens.ts'

/** UTF-16 units of a filter. */
export const filterCharactersMax = 2000
/** Nested parentheses and brackets. */
export const filterDepthMax = 8
/** Comparisons of a filter. */
export const filterTermsMax = 50

export type FilterOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/** The path is spelled as in the schema; inside brackets it is relative to the item. `eq null` matches an absent value. */
export type FilterTerm =
  | { readonly path: string; readonly operator: 'pr' }
  | { readonly path: string; readonly operator: FilterOperator; readonly value: string | boolean | null }

/** A filter (RFC 7644, section 3.4.2.2). `some` is the path of a list; the filter `of` must match one of its items. */
export type ScimFilter =
  | FilterTerm
  | { readonly all: readonly ScimFilter[] }
  | { readonly any: readonly ScimFilter[] }
  | { readonly not: ScimFilter }
  | { readonly some: string; readonly of: ScimFilter }

/** Parses a filter on resources with these attributes. */
export function parseFilter(
  text: string,
  among: readonly Attribute[] = userResource,
): ScimFilter | { mistake: TextMistake } {
  if (text.length > filterCharactersMax) {
    return { mistake: { at: filterCharactersMax, message: `a filter has at most ${filterCharactersMax} characters` } }
  }
  const read = tokenize(text)
  if ('mistake' in read) return read
  const parsing = new FilterParser(read.tokens)
  const filter = parsing.parse({ among, list: undefined })
  return parsing.mistake ? { mistake: parsing.mistake } : filter
}

/** Parses the filter between the brackets of a path, on items of `list`. */
export function parseSelection(tokens: readonly Token[], list: Attribute): ScimFilter | { mistake: TextMistake } {
  const parsing = new FilterParser(tokens)
  const filter = parsing.parse(itemScope(list))
  return parsing.mistake ? { mistake: parsing.mistake } : filter
}

/**
 * Rewrites a term on a list as a filter on its items: one item must match, and `ne` also matches an empty list. Undefined when the term is
 * not on a list, or tests whether the list is empty.
 */
export function overItems(term: FilterTerm, among: readonly Attribute[]): ScimFilter | undefined {
  const [head, ...rest] = getChain(term.path, among)
  if (!head.multiValued || rest.length === 0) return undefined
  const some: ScimFilter = { some: head.name, of: { ...term, path: chainPath(rest) } }
  const isAbsence = term.operator === 'ne' ? term.value !== null : term.operator === 'eq' && term.value === null
  return isAbsence ? { any: [{ not: { path: head.name, operator: 'pr' } }, some] } : some
}

/** The attributes that names refer to: those of the resource, or of an item of `list`. */
type Scope = { readonly among: readonly Attribute[]; readonly list: Attribute | undefined }

function itemScope(list: Attribute): Scope {
  return { among: itemAttributes(list), list }
}

const matchesNothing: ScimFilter = { any: [] }
const order = ['gt', 'ge', 'lt', 'le']
const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', ...order]

/** A recursive-descent parser. After a mistake it skips to the end, so only the first mistake is reported. */
class FilterParser {
  mistake: TextMistake | undefined
  private readonly tokens: readonly Token[]
  private next = 0
  private depth = 0
  private terms = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  parse(scope: Scope): ScimFilter {
    const filter = this.any(scope)
    if (this.token.kind !== 'end') this.fail('"and", "or" or the end is expected here')
    return filter
  }

  private any(scope: Scope): ScimFilter {
    const filters = [this.all(scope)]
    while (this.consumeWord('or')) filters.push(this.all(scope))
    return filters.length === 1 ? filters[0]! : { any: filters }
  }

  private all(scope: Scope): ScimFilter {
    const filters = [this.one(scope)]
    while (this.consumeWord('and')) filters.push(this.one(scope))
    return filters.length === 1 ? filters[0]! : { all: filters }
  }

  private one(scope: Scope): ScimFilter {
    const isNegated = this.consumeWord('not')
    if (this.token.kind === '(') {
      const inner = this.enclosed(')', scope)
      return isNegated ? { not: inner } : inner
    }
    if (isNegated) return this.fail('a parenthesis is expected after "not"')
    const { token } = this
    if (token.kind !== 'word') return this.fail('the name of an attribute is expected here')
    const chain = findChain(token.text, scope.among)
    if (chain === undefined) return this.fail(unknownName(token.text, scope))
    if (scope.list === undefined && chain.some(({ isFilterable }) => !isFilterable)) {
      return this.fail(`${chainPath(chain)} cannot be searched`)
    }
    this.next++
    return this.token.kind === '[' ? this.selection(chain) : this.term(chain)
  }

  /** Parses `emails[type eq "work"]`. A following `.value eq "..."` is one more condition on the same item. */
  private selection(chain: AttributeChain): ScimFilter {
    const list = chain.at(-1)!
    if (!list.multiValued) return this.fail(`${chainPath(chain)} is not a list`)
    const scope = itemScope(list)
    const of = this.enclosed(']', scope)
    const { token } = this
    if (token.kind !== 'word' || !token.text.startsWith('.')) return { some: chainPath(chain), of }
    const member = findChain(token.text.slice(1), scope.among)
    if (member === undefined) return this.fail(unknownName(token.text.slice(1), scope))
    this.next++
    const term = this.term(member)
    return { some: chainPath(chain), of: { all: 'all' in of ? [...of.all, term] : [of, term] } }
  }

  private enclosed(end: ')' | ']', scope: Scope): ScimFilter {
    if (this.depth === filterDepthMax) return this.fail(`a filter is nested at most ${filterDepthMax} deep`)
    this.next++
    this.depth++
    const filter = this.any(scope)
    if (this.token.kind !== end) return this.fail(`"and", "or" or "${end}" is expected here`)
    this.next++
    this.depth--
    return filter
  }

  private term(chain: AttributeChain): ScimFilter {
    const { token } = this
    const operator = token.kind === 'word' ? token.text.toLowerCase() : ''
    if (operator !== 'pr' && !comparisons.includes(operator)) {
      return this.fail(`an operator is expected here: ${comparisons.join(', ')} or pr`)
    }
    if (this.terms === filterTermsMax) return this.fail(`a filter has at most ${filterTermsMax} comparisons`)
    this.terms++
    this.next++
    if (operator === 'pr') return { path: chainPath(chain), operator }
    const compared = comparableChain(chain)
    if (compared === undefined)
      return this.fail(`${chainPath(chain)} has sub-attributes: compare one of them, or use pr`)
    return this.comparison(compared, operator as FilterOperator, token.at)
  }

  private comparison(chain: AttributeChain, operator: FilterOperator, at: number): ScimFilter {
    const { token } = this
    const { type } = chain.at(-1)!
    const isEquality = operator === 'eq' || operator === 'ne'
    if (type === 'boolean' && !isEquality) return this.fail(`${chainPath(chain)} is true or false: use eq or ne`, at)
    if (type === 'dateTime' && !isEquality && !order.includes(operator)) {
      return this.fail(`${chainPath(chain)} is a time: co, sw and ew cannot be used`, at)
    }
    if (token.kind !== 'word' && token.kind !== 'text') return this.fail('a value is expected here')
    const value = token.kind === 'word' && token.text === 'null' ? null : token.text
    if (value === null && !isEquality) return this.fail('null can be compared with eq and ne only')
    // Some clients leave out the quotation marks, mostly of addresses.
    if (type === 'string' && token.kind === 'word' && value !== null && operator !== 'eq') {
      return this.fail('text in quotation marks is expected here')
    }
    if (type === 'dateTime' && value !== null && parseDateTime(value) === undefined) {
      return this.fail('a time is expected here, such as "2026-01-31T10:00:00Z"')
    }
    if (type === 'boolean' && value !== null && !/^(?:true|false)$/i.test(value))
      return this.fail('true or false is expected here')
    this.next++
    const typed = type === 'boolean' && value !== null ? value.toLowerCase() === 'true' : value
    return { path: chainPath(chain), operator, value: typed }
  }

  private get token(): Token {
    return this.tokens[this.next]!
  }

  private consumeWord(wanted: string): boolean {
    const { token } = this
    const matches = token.kind === 'word' && token.text.toLowerCase() === wanted
    if (matches) this.next++
    return matches
  }

  private fail(message: string, at = this.token.at): ScimFilter {
    this.mistake ??= { at, message }
    this.next = this.tokens.length - 1
    return matchesNothing
  }
}

function unknownName(text: string, { list }: Scope): string {
  if (isNotStored(text)) return 'this attribute is not stored'
  return list === undefined ? 'no attribute has this name' : `${list.name} have no attribute of this name`
}

/** A comparison of a list compares the values of its items: `emails eq "x"` is `emails.value eq "x"`. */
function comparableChain(chain: AttributeChain): AttributeChain | undefined {
  const { type, multiValued, subAttributes } = chain.at(-1)!
  if (type !== 'complex') return chain
  const value = multiValued && subAttributes?.find(({ name }) => name === 'value')
  return value ? [...chain, value] : undefined
}

const instant =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** Returns the epoch milliseconds of a dateTime (RFC 7643, section 2.3.5) or a date, which begins in UTC; undefined for other text. */
export function parseDateTime(text: string): number | undefined {
  const dateTime = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  const day = dateTime.slice(0, 10)
  if (!instant.test(dateTime) || !new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().startsWith(day))
    return undefined
  return Date.parse(dateTime.toUpperCase())
}
