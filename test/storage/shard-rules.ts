import { parseSync, SqlError } from 'libpg-query'

/** What a database that is distributed by bucket refuses, answers by another plan, or sends to every shard. */
export type ShardFault =
  /** `for update` of rows whose buckets are not named by value: refused. */
  | 'lock'
  /** A lateral subquery of people without named buckets: refused. */
  | 'lateral'
  /** An update or delete that finds its rows by a join: it asks all shards. */
  | 'write'
  /** A read of people without named buckets: it asks all shards. */
  | 'read'
  /** A join in which the bucket of one table is another column of the other: refused, or answered wrong once buckets are named. */
  | 'across'
  /** A lock or a write that also reads a table that is on one node only. */
  | 'local'
  /** A function that is not immutable in an update: refused. */
  | 'function'
  /** `set c = (array)[1]`: it ends the coordinator. */
  | 'element'
  /** Row addresses: they are those of a shard. */
  | 'ctid'
  /** Several commands in one text: refused. */
  | 'commands'

/** What the catalog of the database says, and the texts do not. */
export type Catalog = {
  /** Tables that have a bucket. */
  readonly people: ReadonlySet<string>
  /** All other tables. */
  readonly others: ReadonlySet<string>
  /** Names of functions of which no variant is immutable. */
  readonly mutable: ReadonlySet<string>
}

// biome-ignore lint/suspicious/noExplicitAny: nodes are read by their names, as PostgreSQL calls them
type Node = any

const repairsMax = 40
/** What may stand in the place of a value or name that is not known. */
const fillings = ['', 'some_column', 'some_column int', 'some_column = 1', '(1)', 'true']

/**
 * Returns the commands of a text. A text that was put together may lack a part that is only known while the program runs: something is put
 * in its place. Undefined when the text is not a statement.
 */
export function parseStatement(text: string): Node[] | undefined {
  let open = [text]
  for (let tries = 0; tries < repairsMax && open.length > 0; ) {
    const next: { text: string; place: number }[] = []
    for (const each of open) {
      tries++
      try {
        return parseSync(each).stmts!.map(({ stmt }) => stmt)
      } catch (error) {
        if (!(error instanceof SqlError)) return undefined
        const place = error.sqlDetails?.cursorPosition ?? 0
        for (const repaired of repairsOf(each, place)) next.push({ text: repaired, place })
      }
    }
    open = next
      .sort((a, b) => b.place - a.place)
      .slice(0, 12)
      .map((each) => each.text)
  }
  return undefined
}

/** Replaces the unknown part at the place of a mistake, or the last one before it. */
function repairsOf(text: string, place: number): string[] {
  const unknown = [...text.matchAll(/\$\d+|\bsome_name\b/g)]
  const at = unknown.findLast(({ index }) => index <= place)
  const ended = place >= text.trimEnd().length ? [`${text} select 1`] : []
  if (at === undefined) return ended
  return [
    ...ended,
    ...fillings.map((filling) => text.slice(0, at.index) + filling + text.slice(at.index + at[0].length)),
  ]
}

/** Returns the faults of a text, each once, in the order of the alphabet. Undefined when the text is a fragment. */
export function faultsOf(text: string, catalog: Catalog): ShardFault[] | undefined {
  const commands = parseStatement(text)
  if (commands === undefined) return undefined
  const faults = new Set<ShardFault>(commands.length > 1 ? ['commands'] : [])
  for (const command of commands) new Reading(catalog, faults).statement(command, [])
  return [...faults].sort()
}

/** A table or subquery in FROM. `table` is undefined for functions, subqueries and the names of WITH. */
type Source = {
  readonly alias: string
  readonly table?: string
  readonly isPeople: boolean
  readonly isFunction?: boolean
}
/** One SELECT, UPDATE or DELETE: what it reads, and the conditions that all its rows fulfil. */
type Level = { readonly sources: Source[]; readonly conditions: Node[] }

class Reading {
  readonly #catalog: Catalog
  readonly #faults: Set<ShardFault>
  readonly #named: Set<string> = new Set()

  constructor(catalog: Catalog, faults: Set<ShardFault>) {
    this.#catalog = catalog
    this.#faults = faults
  }

  statement(node: Node, outer: readonly Level[], isLateral = false): void {
    const [type, body] = Object.entries<Node>(node)[0]!
    if (type === 'SelectStmt') this.#select(body, outer, isLateral)
    else if (type === 'UpdateStmt' || type === 'DeleteStmt') this.#write(type, body, outer)
    else if (type === 'InsertStmt') this.#insert(body, outer)
    else this.#inner(body, outer)
  }

  #with(clause: Node, outer: readonly Level[]): void {
    for (const { CommonTableExpr: each } of clause?.ctes ?? []) {
      this.#named.add(each.ctename)
      this.statement(each.ctequery, outer)
    }
  }

  #select(node: Node, outer: readonly Level[], isLateral: boolean): void {
    this.#with(node.withClause, outer)
    if (node.larg) {
      this.#select(node.larg, outer, isLateral)
      this.#select(node.rarg, outer, isLateral)
      return
    }
    const level = this.#level(node.fromClause ?? [], node.whereClause, outer)
    const locks = (node.lockingClause ?? []).map((each: Node) => each.LockingClause)
    if (locks.length > 0 && level.sources.some((each) => each.isPeople)) {
      this.#require(level, outer, 'lock')
      if (level.sources.some(({ table, isPeople }) => table !== undefined && !isPeople)) this.#faults.add('local')
    } else this.#require(level, outer, isLateral ? 'lateral' : 'read')
    const { fromClause: _, withClause: __, ...rest } = node
    this.#inner(rest, [...outer, level])
    this.#address(rest, level)
  }

  #write(type: string, node: Node, outer: readonly Level[]): void {
    this.#with(node.withClause, outer)
    const others = (type === 'UpdateStmt' ? node.fromClause : node.usingClause) ?? []
    const level = this.#level([{ RangeVar: node.relation }, ...others], node.whereClause, outer)
    const { isPeople } = level.sources[0]!
    this.#require(level, outer, isPeople ? 'write' : 'read')
    const { fromClause: _, usingClause: __, withClause: ___, relation: ____, ...rest } = node
    this.#inner(rest, [...outer, level])
    this.#address(rest, level)
    if (!isPeople) return
    if (level.sources.some((each) => each.table !== undefined && !each.isPeople)) this.#faults.add('local')
    this.#functions(
      type === 'UpdateStmt' ? [node.targetList, node.whereClause] : [node.whereClause],
      node.returningClause,
    )
    this.#elements(node.targetList)
  }

  #insert(node: Node, outer: readonly Level[]): void {
    this.#with(node.withClause, outer)
    if (node.selectStmt) this.statement(node.selectStmt, outer)
    const level = this.#level([{ RangeVar: node.relation }], undefined, outer)
    const conflict = node.onConflictClause
    this.#inner([conflict, node.returningClause], [...outer, level])
    if (!level.sources[0]!.isPeople) return
    this.#functions([conflict?.targetList, conflict?.whereClause], node.returningClause, true)
    this.#elements(conflict?.targetList)
  }

  /** Reads the subqueries of expressions. */
  #inner(node: Node, outer: readonly Level[]): void {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) {
      for (const each of node) this.#inner(each, outer)
      return
    }
    for (const [type, body] of Object.entries<Node>(node)) {
      if (type === 'SelectStmt') this.#select(body, outer, false)
      else this.#inner(body, outer)
    }
  }

  #level(from: readonly Node[], where: Node, outer: readonly Level[]): Level {
    const level: Level = { sources: [], conditions: [] }
    for (const each of from) this.#source(each, level, outer)
    if (where) conjunctsOf(where, level.conditions)
    return level
  }

  #source(node: Node, level: Level, outer: readonly Level[]): void {
    const { RangeVar: named, JoinExpr: join, RangeSubselect: query } = node
    if (join) {
      this.#source(join.larg, level, outer)
      this.#source(join.rarg, level, outer)
      if (join.quals) conjunctsOf(join.quals, level.conditions)
    } else if (named) {
      const isTable = !this.#named.has(named.relname)
      const alias = named.alias?.aliasname ?? named.relname
      // A table whose name the text does not tell may have people.
      const isPeople = isTable && (this.#catalog.people.has(named.relname) || named.relname === 'some_name')
      const isOther = isTable && this.#catalog.others.has(named.relname)
      level.sources.push({ alias, isPeople, ...((isPeople || isOther) && { table: named.relname }) })
    } else if (query) {
      // What a subquery names counts for the level around it only if that names it too.
      this.statement(query.subquery, query.lateral ? [...outer, level] : outer, query.lateral)
      level.sources.push({ alias: query.alias?.aliasname ?? '', isPeople: false })
    } else {
      const { alias } = Object.values<Node>(node)[0]
      this.#inner(node, [...outer, level])
      level.sources.push({ alias: alias?.aliasname ?? '', isPeople: false, isFunction: true })
    }
  }

  #require(level: Level, outer: readonly Level[], fault: ShardFault): void {
    for (const source of level.sources.filter((each) => each.isPeople)) {
      const others = this.#othersOf(source, level)
      if (others.some((each) => this.#isAcross(each, level, outer))) this.#faults.add('across')
      if (!others.some((each) => isValue(each) || this.#hasValue(each, source, level, outer))) this.#faults.add(fault)
    }
  }

  /** Returns everything that the bucket of a table is equal to. */
  #othersOf(source: Source, level: Level): Node[] {
    return level.conditions.flatMap(({ A_Expr: condition }) => {
      if (condition?.name?.[0]?.String.sval !== '=') return []
      const { lexpr, rexpr } = condition
      return [this.#comparedWith(lexpr, rexpr, source, level), this.#comparedWith(rexpr, lexpr, source, level)].filter(
        Boolean,
      )
    })
  }

  /** Whether it is not the bucket of another row, but tells where a row is: a column for that, or an expression of columns. */
  #isAcross(node: Node, level: Level, outer: readonly Level[]): boolean {
    const sources = [level, ...outer.toReversed()].flatMap((each) => each.sources)
    const isPlain = columnOf(node) !== undefined
    let found = false
    walk(node, (each) => {
      const [alias, column] = columnOf(each) ?? []
      const source = column === undefined ? undefined : sources.find((one) => one.alias === alias)
      found ||=
        source !== undefined && !source.isFunction && (!isPlain || (column !== 'bucket' && /bucket$/.test(column!)))
    })
    return found
  }

  /** Whether it is the bucket of a table of people that has one value. The planner passes one value on, several it does not. */
  #hasValue(node: Node, source: Source, level: Level, outer: readonly Level[]): boolean {
    const [alias, column] = columnOf(node) ?? []
    if (column !== 'bucket') return false
    for (const each of [level, ...outer.toReversed()]) {
      const other = each.sources.find((candidate) => candidate.alias === alias)
      if (other) return other.isPeople && (hasOneBucket(other, each) || hasFellow(other, each, [source]))
    }
    return false
  }

  /** Returns what the bucket of a table is compared with, if one side of a comparison is this bucket, alone or in a row. */
  #comparedWith(left: Node, right: Node, source: Source, level: Level): Node | undefined {
    const isOnly = level.sources.filter((each) => each.isPeople).length === 1 && level.sources.length === 1
    const isBucket = (node: Node) => {
      const [alias, column] = columnOf(node) ?? []
      return column === 'bucket' && (alias === source.alias || (alias === undefined && isOnly))
    }
    if (isBucket(left)) return right
    const row = left?.RowExpr?.args as Node[] | undefined
    const at = row?.findIndex(isBucket) ?? -1
    if (at < 0) return undefined
    const rows = right?.List?.items ?? [right]
    const picked = rows.map((each: Node) => each?.RowExpr?.args?.[at])
    return picked.every((each: Node) => each !== undefined) ? { List: { items: picked } } : undefined
  }

  #address(node: Node, level: Level): void {
    if (!level.sources.some((each) => each.isPeople)) return
    walk(node, (each) => {
      if (columnOf(each)?.[1] === 'ctid') this.#faults.add('ctid')
    })
  }

  #functions(parts: readonly Node[], returned: Node, isConflict = false): void {
    const isMutable = ({ FuncCall: call, A_Expr: sum }: Node) =>
      (call !== undefined && this.#catalog.mutable.has(call.funcname.at(-1).String.sval)) ||
      (sum !== undefined &&
        /^[+-]$/.test(sum.name.at(-1).String.sval) &&
        isInterval(sum.rexpr) &&
        !isWithoutZone(sum.lexpr))
    for (const part of parts)
      walk(part, (each) => {
        if (isMutable(each) && (isConflict || containsColumn(each))) this.#faults.add('function')
        if (each.CaseExpr || each.CoalesceExpr)
          walk(each.CaseExpr ?? each.CoalesceExpr, (inner) => {
            if (isMutable(inner)) this.#faults.add('function')
          })
      })
    walk(returned, (each) => {
      if (isMutable(each)) this.#faults.add('function')
    })
  }

  #elements(targets: readonly Node[] = []): void {
    for (const { ResTarget: target } of targets) {
      const { A_Indirection: element } = target.val ?? {}
      if (element?.indirection.some((each: Node) => each.A_Indices)) this.#faults.add('element')
    }
  }
}

/** Whether the bucket of another table is named by one value, in its own level. */
function hasOneBucket(source: Source, level: Level): boolean {
  return level.conditions.some(({ A_Expr: condition }) => {
    if (condition?.kind !== 'AEXPR_OP' || condition.name[0].String.sval !== '=') return false
    const sides = [condition.lexpr, condition.rexpr]
    return sides.some((side, i) => {
      const [alias, column] = columnOf(side) ?? []
      return column === 'bucket' && alias === source.alias && isValue(sides[1 - i])
    })
  })
}

/** Whether another table has the bucket of a third one, which has one value. */
function hasFellow(source: Source, level: Level, visited: readonly Source[]): boolean {
  if (visited.length > 6) return false
  return level.conditions.some(({ A_Expr: condition }) => {
    if (condition?.kind !== 'AEXPR_OP' || condition.name[0].String.sval !== '=') return false
    const [left, right] = [columnOf(condition.lexpr), columnOf(condition.rexpr)]
    if (left?.[1] !== 'bucket' || right?.[1] !== 'bucket') return false
    const other = left[0] === source.alias ? right[0] : right[0] === source.alias ? left[0] : undefined
    const next = level.sources.find((each) => each.alias === other && each.isPeople)
    return (
      next !== undefined &&
      !visited.includes(next) &&
      (hasOneBucket(next, level) || hasFellow(next, level, [...visited, source]))
    )
  })
}

function conjunctsOf(node: Node, conditions: Node[]): void {
  if (node.BoolExpr?.boolop === 'AND_EXPR') for (const each of node.BoolExpr.args) conjunctsOf(each, conditions)
  else conditions.push(node)
}

/** Returns the table and the name of a column. The table is undefined when it is not said. */
function columnOf(node: Node): [string | undefined, string] | undefined {
  const fields = node?.ColumnRef?.fields as Node[] | undefined
  const names = fields?.map((each) => each.String?.sval)
  const column = names?.at(-1)
  return column === undefined ? undefined : [names!.at(-2), column]
}

/** Whether an expression has an interval in it. A time and an interval are added in the time zone of the session. */
function isInterval(node: Node): boolean {
  let found = false
  walk(node, (each) => {
    found ||= each.TypeCast?.typeName.names.at(-1).String.sval === 'interval'
  })
  return found
}

/** Whether an expression is a timestamp without a time zone: one by its type, or a column of ours, which has one, at a time zone. */
function isWithoutZone({ TypeCast: cast, FuncCall: call }: Node): boolean {
  if (cast !== undefined) return cast.typeName.names.at(-1).String.sval === 'timestamp'
  return call?.funcname.at(-1).String.sval === 'timezone' && columnOf(call.args[1]) !== undefined
}

function containsColumn(node: Node): boolean {
  let found = false
  walk(node, (each) => {
    found ||= each.ColumnRef !== undefined
  })
  return found
}

/** Whether an expression has the same value for every row: parameters and constants. */
function isValue(node: Node): boolean {
  let hasOther = false
  walk(node, (each) => {
    hasOther ||= each.ColumnRef !== undefined || each.SubLink !== undefined
  })
  return !hasOther
}

function walk(node: Node, visit: (node: Node) => void): void {
  if (node === null || typeof node !== 'object') return
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit)
    return
  }
  visit(node)
  for (const each of Object.values(node)) walk(each, visit)
}
