import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** A `sql` template of the product with the fragments that are spliced in, `$n` for values. `name` is the function that it stands in. */
export type ExpandedStatement = {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly text: string
}

/** A node of ESTree. Only the members that are used here. */
// biome-ignore lint/suspicious/noExplicitAny: the tree has two hundred types of nodes, of which this file knows a few
type Node = any
type Value = { readonly node: Node; readonly at: Place }
/** Where a node is read: its file, what the parameters of the functions around it are, and which branch of a condition is taken. */
type Place = {
  readonly file: File
  readonly given: ReadonlyMap<string, Value>
  readonly branch: Branch
  readonly depth: number
}
/** Of each condition the first or the last branch is taken, so a template has at most two texts. */
type Branch = 'first' | 'last'
type Declared = { readonly node: Node; readonly from: number; readonly to: number; readonly pick?: number | string }
type File = {
  readonly path: string
  readonly source: string
  readonly body: Node
  readonly declared: Map<string, Declared[]>
  readonly imported: Map<string, { path: string; name: string }>
  readonly templates: { node: Node; name: string }[]
}

const root = join(import.meta.dirname, '../..')
const depthMax = 24
/** The functions of `base/db/sql.ts` that return the fragment they are given. */
const wrappers: ReadonlySet<string> = new Set(['prepared', 'pipelined'])

/** Returns the statements and fragments of all programs below `src` and `cli`. */
export function listExpandedStatements(): ExpandedStatement[] {
  const paths = ['src', 'cli'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  const sources = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  return expandStatements(new Map(sources.map((path) => [path, readFileSync(join(root, path), 'utf8')])))
}

/** Returns the statements and fragments of the given source texts, by path. */
export function expandStatements(sources: ReadonlyMap<string, string>): ExpandedStatement[] {
  const files = new Map([...sources].map(([path, source]) => [path, readFile(path, source)]))
  const found = new Map<string, ExpandedStatement>()
  for (const file of files.values())
    for (const { node, name } of file.templates)
      for (const branch of ['first', 'last'] as const) {
        const text = new Expansion(files).textOf({ node, at: { file, given: new Map(), branch, depth: 0 } })!
        const line = file.source.slice(0, node.start).split('\n').length
        found.set(`${file.path}:${node.start} ${text}`, { path: file.path, line, name, text })
      }
  return [...found.values()]
}

function readFile(path: string, source: string): File {
  const body = parseAst(source, { lang: 'ts' })
  const file: File = { path, source, body, declared: new Map(), imported: new Map(), templates: [] }
  collect(file, body, '', [0, source.length])
  return file
}

/** Collects declarations and templates below a node. `name` is the outermost function or constant around it. */
function collect(file: File, node: Node, name: string, [from, to]: readonly [number, number]): void {
  if (node === null || typeof node !== 'object') return
  if (Array.isArray(node)) {
    for (const each of node) collect(file, each, name, [from, to])
    return
  }
  let scope = [from, to] as const
  let inside = name
  const declare = (key: string, each: Node, pick?: number | string) => {
    const list = file.declared.get(key) ?? []
    list.push({ node: each, from, to, ...(pick !== undefined && { pick }) })
    file.declared.set(key, list)
  }
  if (node.type === 'ImportDeclaration') {
    const target = node.source.value as string
    if (target.startsWith('.'))
      for (const each of node.specifiers)
        file.imported.set(each.local.name, {
          path: join(dirname(file.path), target),
          name: each.imported?.name ?? each.local.name,
        })
  } else if (node.type === 'VariableDeclarator') {
    const { id, init } = node
    if (id.type === 'Identifier') {
      if (init) declare(id.name, init)
      inside ||= id.name
    } else if (id.type === 'ArrayPattern' && init)
      id.elements.forEach((each: Node, i: number) => {
        if (each?.type === 'Identifier') declare(each.name, init, i)
      })
    else if (id.type === 'ObjectPattern' && init)
      for (const each of id.properties)
        if (each.value?.type === 'Identifier') declare(each.value.name, init, each.key.name)
  } else if (node.type === 'FunctionDeclaration' && node.id) {
    declare(node.id.name, node)
    inside ||= node.id.name
  } else if (node.type === 'TaggedTemplateExpression' && node.tag.name === 'sql') {
    file.templates.push({ node, name: inside })
  }
  if (node.body && /Function/.test(node.type)) scope = [node.start, node.end]
  for (const [key, each] of Object.entries(node))
    if (key !== 'type' && each !== null && typeof each === 'object') collect(file, each, inside, scope)
}

/** Builds one text. The placeholders are numbered in the order in which they stand there. */
class Expansion {
  readonly #files: ReadonlyMap<string, File>
  #values = 0

  constructor(files: ReadonlyMap<string, File>) {
    this.#files = files
  }

  /** Returns the SQL that a node stands for; undefined when it is a value. */
  textOf(value: Value): string | undefined {
    const found = this.#reduce(value)
    if (found === undefined) return undefined
    const { node, at } = found
    if (node.type === 'TaggedTemplateExpression') return this.#template(node.quasi, at)
    if (node.type !== 'CallExpression') return undefined
    if (node.callee.name === 'raw') return this.#string({ node: node.arguments[0], at }) ?? 'some_name'
    // On a plain database there is no such condition.
    if (node.callee.name === 'withinPart')
      return `and ${this.#string({ node: node.arguments[1], at }) ?? 'some_name'}.bucket = any(${this.#placeholder()}::int4[])`
    if (node.callee.name === 'join') {
      const [list, separator] = node.arguments
      const texts = this.#items({ node: list, at }).map((each) => this.textOf(each) ?? this.#placeholder())
      return texts.join(this.#string({ node: separator, at }) ?? ', ')
    }
    return undefined
  }

  #placeholder(): string {
    return `$${++this.#values}`
  }

  #template({ quasis, expressions }: Node, at: Place): string {
    return quasis
      .map((quasi: Node, i: number) => {
        const text = quasi.value.cooked
        if (i === expressions.length) return text
        return text + (this.textOf({ node: expressions[i], at }) ?? this.#placeholder())
      })
      .join('')
  }

  #string(value: Value): string | undefined {
    const found = this.#reduce(value)
    if (found === undefined) return undefined
    const { node, at } = found
    if (node.type === 'Literal') return String(node.value)
    if (node.type === 'CallExpression' && node.callee.name === 'String')
      return this.#string({ node: node.arguments[0], at })
    if (node.type !== 'TemplateLiteral') return undefined
    return node.quasis
      .map((quasi: Node, i: number) => {
        const each = node.expressions[i]
        return quasi.value.cooked + (each ? (this.#string({ node: each, at }) ?? 'some_name') : '')
      })
      .join('')
  }

  #items(value: Value): Value[] {
    const found = this.#reduce(value)
    if (found === undefined) return [{ node: null, at: value.at }]
    const { node, at } = found
    if (node.type === 'ArrayExpression')
      return node.elements.flatMap((each: Node) =>
        each.type === 'SpreadElement' ? this.#items({ node: each.argument, at }) : [{ node: each, at }],
      )
    const method = node.type === 'CallExpression' ? node.callee.property?.name : undefined
    if (method === 'filter') return this.#items({ node: node.callee.object, at })
    if (method === 'map' || method === 'flatMap') {
      const each = this.#reduce({ node: node.arguments[0], at })
      return each === undefined ? [{ node: null, at }] : [this.#call(each, [])].flatMap((body) => (body ? [body] : []))
    }
    return [{ node: null, at }]
  }

  /** Follows names, calls and conditions to the template, text, list, object or function that they stand for. */
  #reduce({ node, at }: Value): Value | undefined {
    if (!node || at.depth > depthMax) return undefined
    const here: Place = { ...at, depth: at.depth + 1 }
    switch (node.type) {
      case 'TSAsExpression':
      case 'TSNonNullExpression':
      case 'TSSatisfiesExpression':
      case 'ParenthesizedExpression':
        return this.#reduce({ node: node.expression, at: here })
      case 'ConditionalExpression':
        return this.#reduce({ node: at.branch === 'first' ? node.consequent : node.alternate, at: here })
      case 'LogicalExpression':
        return this.#logical(node, here)
      case 'Identifier':
        return this.#named(node, here)
      case 'MemberExpression':
        return this.#member(node, here)
      case 'CallExpression':
        return this.#called(node, here)
      default:
        return { node, at: here }
    }
  }

  #logical(node: Node, at: Place): Value | undefined {
    const [left, right] = [node.left, node.right].map((each) => ({ node: each, at }))
    if (node.operator === '&&') return this.#reduce(right!)
    return at.branch === 'first' ? (this.#reduce(left!) ?? this.#reduce(right!)) : this.#reduce(right!)
  }

  #named({ name, start }: Node, at: Place): Value | undefined {
    const inside = (at.file.declared.get(name) ?? []).filter(({ from, to }) => from <= start && start <= to)
    const nearest = inside.sort((a, b) => a.to - a.from - (b.to - b.from))[0]
    const isModules = nearest !== undefined && nearest.to - nearest.from === at.file.source.length
    const given = at.given.get(name)
    if (given !== undefined && (nearest === undefined || isModules)) return this.#reduce(given)
    if (nearest !== undefined) {
      const around = isModules ? { ...at, given: new Map() } : at
      const value = { node: nearest.node, at: around }
      return nearest.pick === undefined ? this.#reduce(value) : this.#picked(value, nearest.pick)
    }
    const from = at.file.imported.get(name)
    const file = from && this.#files.get(from.path)
    const declared = file?.declared.get(from!.name)?.at(0)
    if (!file || !declared) return undefined
    return this.#reduce({ node: declared.node, at: { ...at, file, given: new Map() } })
  }

  #picked(value: Value, pick: number | string): Value | undefined {
    const found = this.#reduce(value)
    if (found?.node.type === 'ArrayExpression') return this.#reduce({ node: found.node.elements[pick], at: found.at })
    if (found?.node.type !== 'ObjectExpression') return undefined
    const property = found.node.properties.find((each: Node) => (each.key?.name ?? each.key?.value) === pick)
    return this.#reduce({ node: property?.value, at: found.at })
  }

  #member({ object, property, computed }: Node, at: Place): Value | undefined {
    if (!computed) return this.#picked({ node: object, at }, property.name)
    const found = this.#reduce({ node: object, at })
    if (found?.node.type === 'ObjectExpression') {
      const values = found.node.properties.filter((each: Node) => each.value)
      return this.#reduce({ node: values.at(at.branch === 'first' ? 0 : -1)?.value, at: found.at })
    }
    if (found?.node.type !== 'ArrayExpression') return undefined
    return this.#reduce({ node: found.node.elements.at(at.branch === 'first' ? 0 : -1), at: found.at })
  }

  #called(node: Node, at: Place): Value | undefined {
    const name = node.callee.name
    if (wrappers.has(name)) return this.#reduce({ node: node.arguments[0], at })
    if (name === undefined || name === 'raw' || name === 'join' || name === 'withinPart' || name === 'String')
      return { node, at }
    const called = this.#reduce({ node: node.callee, at })
    if (called === undefined) return undefined
    const given = node.arguments.map((each: Node) => ({ node: each, at }))
    const result = this.#call(called, given)
    return result && this.#reduce(result)
  }

  /** Returns what a function returns: by its first or its last `return`. */
  #call({ node, at }: Value, given: readonly Value[]): Value | undefined {
    if (!/Function/.test(node.type)) return undefined
    const bound = new Map(at.given)
    for (const [i, param] of node.params.entries()) this.#bind(bound, param, given[i], at)
    const inner: Place = { ...at, given: bound, depth: at.depth + 1 }
    if (node.body.type !== 'BlockStatement') return { node: node.body, at: inner }
    const returned = returnsOf(node.body).at(at.branch === 'first' ? 0 : -1)
    return returned && { node: returned, at: inner }
  }

  #bind(bound: Map<string, Value>, param: Node, value: Value | undefined, at: Place): void {
    if (param.type === 'AssignmentPattern') {
      this.#bind(bound, param.left, value ?? { node: param.right, at: { ...at, given: bound } }, at)
      return
    }
    if (param.type === 'Identifier') {
      if (value) bound.set(param.name, value)
      else bound.delete(param.name)
    }
    if (param.type !== 'ObjectPattern' || !value) return
    for (const each of param.properties) {
      if (each.value?.type !== 'Identifier') continue
      const picked = this.#picked(value, each.key.name)
      if (picked) bound.set(each.value.name, picked)
    }
  }
}

function returnsOf(node: Node): Node[] {
  if (node === null || typeof node !== 'object') return []
  if (Array.isArray(node)) return node.flatMap(returnsOf)
  if (node.type === 'ReturnStatement') return node.argument ? [node.argument] : []
  if (/Function/.test(node.type ?? '')) return []
  return Object.values(node).flatMap((each) => returnsOf(each))
}
