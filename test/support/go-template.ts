import assert from 'node:assert/strict'
import { type Expression, type Node, parseTemplate } from './go-template-parser.ts'

type Value = unknown
type Scope = { readonly dot: Value; readonly root: Value; readonly variables: Map<string, Value> }
type Functions = Readonly<Record<string, (...args: readonly Value[]) => Value>>

/**
 * Renders templates of Go as far as the chart uses them: actions, pipelines, variables, `if`, `with`, `range`, `define`. Everything else is
 * an error, and so is a member of a value that is not there, which Go would print as `<no value>`.
 */
export class GoTemplates {
  readonly #definitions = new Map<string, readonly Node[]>()
  readonly #functions: Functions

  constructor(functions: Functions) {
    this.#functions = {
      ...functions,
      include: (name, dot) => {
        const nodes = this.#definitions.get(String(name))
        assert.ok(nodes, `no template ${String(name)} is defined`)
        return this.#run(nodes, { dot, root: dot, variables: new Map() })
      },
    }
  }

  /** Renders a file. Its definitions are known to the files after it. */
  render(name: string, text: string, values: Value): string {
    const nodes = parseTemplate(name, text)
    for (const node of nodes) if (node.kind === 'define') this.#definitions.set(node.name, node.body)
    return this.#run(nodes, { dot: values, root: values, variables: new Map() })
  }

  #run(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#runOne(node, scope)).join('')
  }

  #runOne(node: Node, scope: Scope): string {
    switch (node.kind) {
      case 'text':
        return node.text
      case 'define':
        return ''
      case 'action':
        return printed(this.#value(node.expression, scope))
      case 'assign':
        if (!node.isNew) assert.ok(scope.variables.has(node.variable), `${node.variable} is not declared`)
        scope.variables.set(node.variable, this.#value(node.expression, scope))
        return ''
      case 'if': {
        const branch = node.branches.find(({ condition }) => !condition || isTrue(this.#value(condition, scope)))
        return branch ? this.#run(branch.body, scope) : ''
      }
      case 'with': {
        const value = this.#value(node.expression, scope)
        return isTrue(value) ? this.#run(node.body, { ...scope, dot: value }) : this.#run(node.otherwise, scope)
      }
      case 'range':
        return this.#range(node, scope)
    }
  }

  #range({ variables, expression, body }: Node & { kind: 'range' }, scope: Scope): string {
    const value = this.#value(expression, scope)
    assert.ok(typeof value === 'object' && value !== null, 'range needs a list or a map')
    const entries: [Value, Value][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value).sort()
    return entries
      .map(([key, item]) => {
        const inner = new Map(scope.variables)
        if (variables.length === 1) inner.set(variables[0]!, item)
        if (variables.length === 2) inner.set(variables[0]!, key).set(variables[1]!, item)
        return this.#run(body, { ...scope, dot: item, variables: inner })
      })
      .join('')
  }

  #value(expression: Expression, scope: Scope): Value {
    switch (expression.kind) {
      case 'literal':
        return expression.value
      case 'path': {
        const start = this.#start(expression.start, scope)
        return expression.members.reduce((value: Value, member) => memberOf(value, member), start)
      }
      case 'call': {
        const called = this.#functions[expression.name]
        assert.ok(called, `there is no function ${expression.name}`)
        return called(...expression.args.map((each) => this.#value(each, scope)))
      }
    }
  }

  #start(start: string, { dot, root, variables }: Scope): Value {
    if (start === '.') return dot
    if (start === '$') return root
    assert.ok(variables.has(start), `${start} is not declared`)
    return variables.get(start)
  }
}

function memberOf(value: Value, member: string): Value {
  const found = typeof value === 'object' && value !== null && Object.hasOwn(value, member)
  assert.ok(found, `there is no member ${member} in ${JSON.stringify(value)}`)
  return (value as Record<string, Value>)[member]
}

/** Whether Go takes a value for true: it is not empty. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

function printed(value: Value): string {
  assert.ok(['string', 'number', 'boolean'].includes(typeof value), `cannot print ${JSON.stringify(value)}`)
  return String(value)
}
