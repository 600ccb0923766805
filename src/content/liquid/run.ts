import { type Context, Drop } from 'liquidjs'
import type { ParsedTemplate } from './parsed-template.ts'
import type { SourceQuery } from './source-query.ts'

/** Characters that one text may come to. */
export const outputCharactersMax = 2_000_000
/** Characters and members of lists that rendering one text may make on the way. */
export const memoryMax = 5_000_000
/** Milliseconds that rendering one text may take, waiting for answers not counted. */
export const renderMs = 1_000
/** Milliseconds that one text may wait for answers in all. */
export const waitMs = 30_000
/** Questions to catalogs and other servers for one text. */
export const queriesMax = 20
/** Content blocks inside content blocks. */
export const blockDepthMax = 3

const memoryMessage = 'rendering took more memory than a text may take'

/** The template asked not to be sent to this person. */
export class Aborted extends Error {}

/** It took more than a text may take. */
export class LimitExceeded extends Error {}
/** It took longer than a text may take. */
export class TimeLimitExceeded extends LimitExceeded {}

/** Time as the engine counts it: from the first look on. */
export class TimeLimit {
  #endMs: number | undefined

  check(nowMs: number): void {
    this.#endMs ??= nowMs + renderMs
    if (nowMs > this.#endMs) throw new TimeLimitExceeded(`rendering took longer than ${renderMs} ms`)
  }

  /** Waiting for others is no work. */
  extend(ms: number): void {
    if (this.#endMs !== undefined) this.#endMs += ms
  }
}

/** Memory as the engine counts it: characters and members of lists made on the way. */
export class MemoryLimit {
  #used = 0

  use(count: unknown): void {
    const more = Number(count)
    if (more > 0) this.#used += more
    if (this.#used > memoryMax) throw new LimitExceeded(memoryMessage)
  }

  check(count: unknown): void {
    if (Number(count) > memoryMax) throw new LimitExceeded(memoryMessage)
  }
}

/** What the filters and tags of one text share while it is rendered. */
export type RenderRun = {
  readonly nowMs: number
  /** Content blocks by name, those there are. */
  readonly blocks: ReadonlyMap<string, ParsedTemplate>
  /** Names of the blocks that are being rendered, the outermost first. */
  readonly path: string[]
  readonly serviceName: string
  readonly time: TimeLimit
  /** Answers a question; a run without it is one whose template asks nothing. */
  readonly query?: (ask: SourceQuery) => Promise<unknown>
}

const register = 'easel'

export function setRun(context: Context, run: RenderRun): void {
  context.setRegister(register, run)
}

export function runOf(context: Context): RenderRun {
  return context.getRegister<RenderRun>(register)
}

/**
 * Characters and members that a value holds; when it is more than a text may take, not how much more. Lists may hold one thing many
 * times, so this may be far more than what is in memory.
 */
export function sizeOf(value: unknown): number {
  let size = 0
  const open = [value]
  while (open.length > 0 && size <= memoryMax) {
    const one = open.pop()
    if (typeof one === 'string') size += one.length
    if (one === null || typeof one !== 'object') continue
    const members: readonly unknown[] = Array.isArray(one) ? one : Object.values(one)
    size += members.length
    if (size <= memoryMax) for (const member of members) open.push(member)
  }
  return size
}

/** What a text or a captured piece of it is written to. What is captured is memory as well: `memory` counts it. */
export class BoundedOutput {
  buffer = ''
  readonly #memory: Pick<MemoryLimit, 'use'> | undefined

  constructor(memory?: Pick<MemoryLimit, 'use'>) {
    this.#memory = memory
  }

  write(value: unknown): void {
    const text = formatValue(value)
    this.#memory?.use(text.length)
    this.buffer += text
    if (this.buffer.length > outputCharactersMax)
      throw new LimitExceeded(`the text came to more than ${outputCharactersMax} characters`)
  }
}

/** What a value looks like in a text: nothing is empty, lists run together. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return formatList(value)
  if (value instanceof Date) return `${value.toISOString().slice(0, 19).replace('T', ' ')} UTC`
  const plain = value instanceof Drop ? value.valueOf() : value
  if (plain === null || plain === undefined) return ''
  return plain instanceof Object ? JSON.stringify(plain) : String(plain)
}

/** Bounded on the way: a list may hold one text many times. */
function formatList(list: readonly unknown[]): string {
  let text = ''
  for (const member of list) {
    text += formatValue(member)
    if (text.length > memoryMax) throw new LimitExceeded(memoryMessage)
  }
  return text
}
