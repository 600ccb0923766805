import assert from 'node:assert/strict'

/** The part of PromQL that the files of `ops` use. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | Selector
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'aggregate'; readonly name: string; readonly by: readonly string[]; readonly of: Expression }
  | Binary

export type Selector = {
  readonly kind: 'selector'
  readonly name: string
  readonly matchers: readonly Matcher[]
  /** The duration in brackets, such as `5m` or `$__rate_interval`. */
  readonly range?: string
}
export type Matcher = { readonly label: string; readonly op: '=' | '!=' | '=~' | '!~'; readonly value: string }
export type Binary = {
  readonly kind: 'binary'
  readonly op: string
  readonly left: Expression
  readonly right: Expression
  /** The labels of `on (...)`. */
  readonly on?: readonly string[]
}

const aggregates: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'count'])
const functions: ReadonlySet<string> = new Set(['rate', 'increase', 'absent', 'histogram_quantile'])
/** Operators by precedence, the weakest first. */
const levels: readonly (readonly string[])[] = [
  ['or'],
  ['and', 'unless'],
  ['==', '!=', '<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/'],
]
const token =
  /\s*(?:(\d[\d.]*(?:e[+-]?\d+)?)|([A-Za-z_$:][\w$:]*)|("(?:[^"\\]|\\.)*")|(=~|!~|==|!=|<=|>=|[-+*/<>=(){}[\],]))/y

/** Returns the tree of an expression. Throws for what is no PromQL, or a part of it that is not known here. */
export function parsePromql(text: string): Expression {
  return new PromqlReader(text).read()
}

class PromqlReader {
  readonly #text: string
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokensOf(text)
  }

  read(): Expression {
    const tree = this.#binary(0)
    assert.equal(this.#next(), undefined, `the end of: ${this.#text}`)
    return tree
  }

  #next(): string | undefined {
    return this.#tokens[this.#at]
  }

  #take(expected?: string): string {
    const next = this.#tokens[this.#at++]
    const isRight = next !== undefined && (expected === undefined || next === expected)
    assert.ok(isRight, `${expected ?? 'more'} in: ${this.#text}`)
    return next
  }

  #takes(word: string): boolean {
    if (this.#next() !== word) return false
    this.#at++
    return true
  }

  #listed<T>(close: string, one: () => T): T[] {
    const all: T[] = []
    while (this.#next() !== close) {
      all.push(one())
      if (this.#next() !== close) this.#take(',')
    }
    this.#take(close)
    return all
  }

  #labels(): string[] {
    this.#take('(')
    return this.#listed(')', () => this.#take())
  }

  #binary(level: number): Expression {
    const ops = levels[level]
    if (ops === undefined) return this.#single()
    let left = this.#binary(level + 1)
    while (ops.includes(this.#next() ?? '')) {
      const op = this.#take()
      const on = this.#takes('on') ? this.#labels() : undefined
      left = { kind: 'binary', op, left, right: this.#binary(level + 1), ...(on && { on }) }
    }
    return left
  }

  #single(): Expression {
    const next = this.#take()
    if (/^\d/.test(next)) return { kind: 'number', value: Number(next) }
    if (next === '(') {
      const inner = this.#binary(0)
      this.#take(')')
      return inner
    }
    assert.match(next, /^[A-Za-z_]/, `a name in: ${this.#text}`)
    if (aggregates.has(next)) return this.#aggregate(next)
    if (!this.#takes('(')) return this.#selector(next)
    assert.ok(functions.has(next), `a known function, not ${next}, in: ${this.#text}`)
    return { kind: 'call', name: next, args: this.#listed(')', () => this.#binary(0)) }
  }

  #aggregate(name: string): Expression {
    const by = this.#takes('by') ? this.#labels() : []
    this.#take('(')
    const of = this.#binary(0)
    this.#take(')')
    return { kind: 'aggregate', name, by, of }
  }

  #selector(name: string): Selector {
    const matchers = this.#takes('{') ? this.#listed('}', () => this.#matcher()) : []
    if (!this.#takes('[')) return { kind: 'selector', name, matchers }
    const range = this.#take() + (/^\w+$/.test(this.#next() ?? '') ? this.#take() : '')
    this.#take(']')
    return { kind: 'selector', name, matchers, range }
  }

  #matcher(): Matcher {
    const label = this.#take()
    const op = this.#take() as Matcher['op']
    assert.ok(['=', '!=', '=~', '!~'].includes(op), `an operator, not ${op}, in: ${this.#text}`)
    return { label, op, value: JSON.parse(this.#take()) }
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  while (/\S/.test(text.slice(token.lastIndex))) {
    const from = token.lastIndex
    const found = token.exec(text)
    assert.ok(found, `a token at ${from} of: ${text}`)
    tokens.push(found[0].trim())
  }
  return tokens
}

/** Returns the operands of `or` at the top of an expression. */
export function alternativesOf(tree: Expression): Expression[] {
  return tree.kind === 'binary' && tree.op === 'or'
    ? [...alternativesOf(tree.left), ...alternativesOf(tree.right)]
    : [tree]
}
