import { type Context, Drop } from 'liquidjs'
import type { ParsedTemplate } from './parsed-template.ts'
import type { SourceQuery } from './source-query.ts'

/** Characters of one rendered text. */
export const outputCharactersMax = 2_000_000
/** Characters and list members that rendering one text may produce, intermediate values included. */
export const memoryMax = 5_000_000
/** Milliseconds of rendering one text, without waiting for answers. */
export const renderMs = 1_000
/** Milliseconds that one text may wait for all its answers. */
export const waitMs = 30_000
/** Queries of one text. */
export const queriesMax = 20
/** Content blocks inside content blocks. */
export const blockDepthMax = 3

const memoryMessage = 'rendering took more memory than a text may take'

/** Thrown by `abort_message`: this person gets no message. */
export class Aborted extends Error {}

/** Thrown at a limit of one text. */
export class LimitExceeded extends Error {}
export class TimeLimitExceeded extends LimitExceeded {}

/** The time limit, with the interface that the engine expects. It starts with the first check. */
export class TimeLimit {
  #endMs: number | undefined

  check(nowMs: number): void {
    this.#endMs ??= nowMs + renderMs
    if (nowMs > this.#endMs) throw new TimeLimitExceeded(`rendering took longer than ${renderMs} ms`)
  }

  /** Stops the time while a query waits for its result. */
  extend(ms: number): void {
    if (this.#endMs !== undefined) this.#endMs += ms
  }
}

/** The memory limit, with the interface that the engine expects. It counts characters and list members. */
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

/** The state that the filters and tags of one text share while it is rendered. */
export type RenderRun = {
  readonly nowMs: number
  /** The existing content blocks by name. */
  readonly blocks: ReadonlyMap<string, ParsedTemplate>
  /** Names of the blocks that are being rendered, the outermost first. */
  readonly path: string[]
  readonly serviceName: string
  readonly time: TimeLimit
  /** Queries a source; absent when the template queries none. */
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
 * Counts the characters and members in a value, up to the limit. The same object may be in a list many times, so the count can be much
 * larger than the memory.
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

/** Collects the output of a text or a capture. A capture uses memory too, which `memory` counts. */
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

/** Formats a value for a text: nil is empty, and the members of a list follow each other without a separator. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return formatList(value)
  if (value instanceof Date) return `${value.toISOString().slice(0, 19).replace('T', ' ')} UTC`
  const plain = value instanceof Drop ? value.valueOf() : value
  if (plain === null || plain === undefined) return ''
  return plain instanceof Object ? JSON.stringify(plain) : String(plain)
}

/** Checks the limit at each member: a list may have the same text many times. */
function formatList(list: readonly unknown[]): string {
  let text = ''
  for (const member of list) {
    text += formatValue(member)
    if (text.length > memoryMax) throw new LimitExceeded(memoryMessage)
  }
  return text
}
