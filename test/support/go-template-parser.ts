import assert from 'node:assert/strict'

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  /** `.a.b`, `$.a`, `$variable.a`. */
  | { readonly kind: 'path'; readonly start: string; readonly members: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }

type Branch = { readonly condition?: Expression; readonly body: readonly Node[] }

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly expression: Expression }
  | { readonly kind: 'assign'; readonly variable: string; readonly isNew: boolean; readonly expression: Expression }
  | { readonly kind: 'if'; readonly branches: readonly Branch[] }
  | {
      readonly kind: 'with'
      readonly expression: Expression
      readonly body: readonly Node[]
      readonly otherwise: readonly Node[]
    }
  | {
      readonly kind: 'range'
      readonly variables: readonly string[]
      readonly expression: Expression
      readonly body: readonly Node[]
    }
  | { readonly kind: 'define'; readonly name: string; readonly body: readonly Node[] }

type Piece = { readonly kind: 'text' | 'action'; readonly text: string }

const actionForm = /\{\{(-\s)?([\s\S]*?)(\s-)?\}\}/g
const tokenForm = /\s*("(?:[^"\\]|\\.)*"|[()|]|:=|=|,|-?\d+|\$?[A-Za-z]\w*(?:\.\w+)*|\$?(?:\.\w+)+|[.$])/y

/** Parses a template of Go. Throws for what is not balanced, and for what the subset does not have. */
export function parseTemplate(name: string, text: string): Node[] {
  return new BlockParser(name, piecesOf(text)).body([])
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  let trims = false
  for (const { 0: all, 1: before, 2: action = '', 3: after, index } of text.matchAll(actionForm)) {
    let plain = text.slice(end, index)
    if (trims) plain = plain.trimStart()
    if (before !== undefined) plain = plain.trimEnd()
    pieces.push({ kind: 'text', text: plain })
    if (!/^\s*\/\*[\s\S]*\*\/\s*$/.test(action)) pieces.push({ kind: 'action', text: action.trim() })
    trims = after !== undefined
    end = index + all.length
  }
  const last = text.slice(end)
  assert.doesNotMatch(last, /\{\{|\}\}/, 'an action is not closed')
  return [...pieces, { kind: 'text', text: trims ? last.trimStart() : last }]
}

class BlockParser {
  #at = 0
  readonly #name: string
  readonly #pieces: readonly Piece[]

  constructor(name: string, pieces: readonly Piece[]) {
    this.#name = name
    this.#pieces = pieces
  }

  /** Reads nodes up to an action that begins with one of `ends`, which is not read. */
  body(ends: readonly string[]): Node[] {
    const nodes: Node[] = []
    for (let piece = this.#pieces[this.#at]; piece; piece = this.#pieces[this.#at]) {
      const [word = ''] = piece.text.split(/\s/)
      if (piece.kind === 'action' && (word === 'end' || word === 'else')) {
        assert.ok(ends.includes(word), `${this.#name}: {{ ${piece.text} }} closes nothing`)
        return nodes
      }
      this.#at++
      nodes.push(piece.kind === 'text' ? { kind: 'text', text: piece.text } : this.#action(word, piece.text))
    }
    assert.equal(ends.length, 0, `${this.#name}: a block is not closed`)
    return nodes
  }

  #action(word: string, text: string): Node {
    const rest = text.slice(word.length)
    if (word === 'if') return { kind: 'if', branches: this.#branches(rest) }
    if (word === 'with') {
      const body = this.body(['end', 'else'])
      const otherwise = this.#take() === 'else' ? this.#closed() : []
      return { kind: 'with', expression: expressionOf(rest), body, otherwise }
    }
    if (word === 'range') {
      const [, names = '', list = rest] = /^([^:"]*):=(.*)$/s.exec(rest) ?? []
      const variables = names.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
      return { kind: 'range', variables, expression: expressionOf(list), body: this.#closed() }
    }
    if (word === 'define') return { kind: 'define', name: JSON.parse(rest.trim()), body: this.#closed() }
    const [, variable, sign, value] = /^(\$\w+)\s*(:?=)\s*(.*)$/s.exec(text) ?? []
    if (variable !== undefined)
      return { kind: 'assign', variable, isNew: sign === ':=', expression: expressionOf(value!) }
    return { kind: 'action', expression: expressionOf(text) }
  }

  #branches(condition: string): Branch[] {
    const branches: Branch[] = [{ condition: expressionOf(condition), body: this.body(['end', 'else']) }]
    for (let end = this.#take(); end !== 'end'; end = this.#take()) {
      const [, next] = /^else if\s(.*)$/s.exec(end) ?? []
      if (next === undefined) return [...branches, { body: this.#closed() }]
      branches.push({ condition: expressionOf(next), body: this.body(['end', 'else']) })
    }
    return branches
  }

  #closed(): Node[] {
    const nodes = this.body(['end'])
    this.#take()
    return nodes
  }

  #take(): string {
    return this.#pieces[this.#at++]!.text
  }
}

/** Parses a pipeline: the value of a command is the last argument of the next one. */
function expressionOf(text: string): Expression {
  const tokens = tokensOf(text)
  const expression = pipelineOf(tokens)
  assert.deepEqual(tokens, [], `cannot read ${text}`)
  return expression
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  for (let at = 0; text.slice(at).trim() !== ''; ) {
    tokenForm.lastIndex = at
    const [all, token] = tokenForm.exec(text) ?? []
    assert.ok(all !== undefined, `cannot read ${text.slice(at)}`)
    tokens.push(token!)
    at += all.length
  }
  return tokens
}

function pipelineOf(tokens: string[]): Expression {
  let value = commandOf(tokens, [])
  while (tokens[0] === '|') {
    tokens.shift()
    value = commandOf(tokens, [value])
  }
  return value
}

function commandOf(tokens: string[], last: readonly Expression[]): Expression {
  const [name = ''] = tokens
  if (!/^[a-z]\w*$/i.test(name) || name === 'true' || name === 'false') {
    assert.equal(last.length, 0, `${name} takes no argument`)
    return operandOf(tokens)
  }
  tokens.shift()
  const args: Expression[] = []
  while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') args.push(operandOf(tokens))
  return { kind: 'call', name, args: [...args, ...last] }
}

function operandOf(tokens: string[]): Expression {
  const token = tokens.shift() ?? ''
  if (token === '(') {
    const value = pipelineOf(tokens)
    assert.equal(tokens.shift(), ')', 'a bracket is not closed')
    return value
  }
  if (token === 'true' || token === 'false') return { kind: 'literal', value: token === 'true' }
  if (token.startsWith('"')) return { kind: 'literal', value: JSON.parse(token) }
  if (/^-?\d+$/.test(token)) return { kind: 'literal', value: Number(token) }
  assert.match(token, /^[.$]/, `cannot read ${token}`)
  const [start = '', ...members] = token.split('.')
  return { kind: 'path', start: start === '' ? '.' : start, members: members.filter((each) => each !== '') }
}
