import { type Context, Drop } from 'liquidjs'
import type { ParsedTemplate } from './parsed-template.ts'
import type { SourceQuery } from './source-query.ts'

/** Characters of one rendered text that has no limit of its own, and of one captured text. */
export const outputCharactersMax = 2_000_000
/** Characters of all rendered texts of one person. */
export const personCharactersMax = 4_000_000
/** Characters and list members that all texts of one person may produce, intermediate values included. */
export const memoryMax = 5_000_000
/** Tags, values and pieces of text that all texts of one person may render, counted again in each round of a loop. */
export const nodesMax = 500_000
/** Milliseconds of CPU for rendering all texts of one person. */
export const renderMs = 1_000
/** The first of these milliseconds. They count as CPU time without being measured. */
export const unmeasuredMs = 5
/** Milliseconds that all texts of one person may wait for answers. */
export const waitMs = 30_000
/** Queries of one text. */
export const queriesMax = 20
/** Queries of all texts of one person. */
export const personQueriesMax = 60
/** Content blocks inside content blocks. */
export const blockDepthMax = 3

const memoryMessage = 'rendering took more memory than the texts of a message may take'

/** The limit of the field for which a text is rendered. */
export type TextLimit = {
  readonly charactersMax: number
  /** The field is one line: runs of blanks, line breaks and control characters become one blank. */
  readonly isOneLine?: boolean
}

/** Thrown by `abort_message`: this person gets no message. */
export class Aborted extends Error {}

/** Thrown at a limit of one text or of one person. */
export class LimitExceeded extends Error {}
/** Thrown at a limit of work. */
export class WorkLimitExceeded extends LimitExceeded {}
/** Thrown when a text is longer than its field allows. The message completes the name of the field. */
export class TextTooLong extends LimitExceeded {}

/**
 * The limits of time and nodes, with the interface that the engine expects. The time starts with the first check. It is CPU time, so that a
 * busy machine refuses no text. Reading CPU time is slow: it is read when `unmeasuredMs` have passed on the clock, which is never for most
 * people, and again when the rest of the time has passed.
 */
export class WorkLimit {
  readonly #cpuMs: () => number
  #endMs: number | undefined
  #startCpuMs: number | undefined
  #nodes = 0

  /** `cpuMs`: the CPU time of the thread, in milliseconds. */
  constructor(cpuMs: () => number = threadCpuMs) {
    this.#cpuMs = cpuMs
  }

  /** Is called for each tag, each value, and each list of nodes. */
  check(nowMs: number): void {
    this.#endMs ??= nowMs + unmeasuredMs
    if (nowMs > this.#endMs) {
      const cpuMs = this.#cpuMs()
      this.#startCpuMs ??= cpuMs - unmeasuredMs
      const leftMs = renderMs - (cpuMs - this.#startCpuMs)
      if (leftMs <= 0) throw new WorkLimitExceeded(`rendering took longer than ${renderMs} ms`)
      this.#endMs = nowMs + leftMs
    }
    this.count()
  }

  /** Is called for each piece of text, which takes no time worth mentioning. */
  count(): void {
    if (++this.#nodes > nodesMax)
      throw new WorkLimitExceeded(`rendering took more than ${nodesMax} tags, values and pieces of text`)
  }

  /** Stops the time while a query waits for its result. */
  extend(ms: number): void {
    if (this.#endMs !== undefined) this.#endMs += ms
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
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

/** How much the texts of one person may still take, all together. */
export class PersonBudget {
  readonly work = new WorkLimit()
  readonly memory = new MemoryLimit()
  #characters = 0

  /** Counts characters of rendered texts. */
  useCharacters(count: number): void {
    this.#characters += count
    if (this.#characters > personCharactersMax)
      throw new LimitExceeded(`the texts came to more than ${personCharactersMax} characters together`)
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
  readonly budget: PersonBudget
  /** The limit of this text, if its field has one. */
  readonly limit?: TextLimit
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

/** Collects a captured text, which uses memory. */
export class CapturedOutput {
  buffer = ''
  readonly #memory: Pick<MemoryLimit, 'use'>

  constructor(memory: Pick<MemoryLimit, 'use'>) {
    this.#memory = memory
  }

  write(value: unknown): void {
    const text = formatValue(value)
    this.#memory.use(text.length)
    this.buffer += text
    if (this.buffer.length > outputCharactersMax) throw new LimitExceeded(tooLongMessage)
  }
}

const tooLongMessage = `the text came to more than ${outputCharactersMax} characters`

/** Collects the output of one text, and stops at its limit. */
export class TextOutput {
  buffer = ''
  readonly #budget: PersonBudget
  readonly #limit: TextLimit | undefined

  constructor({ budget, limit }: Pick<RenderRun, 'budget' | 'limit'>) {
    this.#budget = budget
    this.#limit = limit
  }

  write(value: unknown): void {
    const text = formatValue(value)
    const { charactersMax, isOneLine } = this.#limit ?? {}
    const piece = isOneLine ? this.#withoutBlanks(text) : text
    this.#budget.useCharacters(piece.length)
    this.buffer += piece
    if (charactersMax === undefined) {
      if (this.buffer.length > outputCharactersMax) throw new LimitExceeded(tooLongMessage)
    } else if (this.buffer.length > charactersMax && charactersIn(this.buffer, charactersMax) > charactersMax)
      throw new TextTooLong(`must be at most ${charactersMax} characters`)
  }

  /** Liquid tags leave line breaks and blanks, which do not count in a field of one line. */
  #withoutBlanks(text: string): string {
    const merged = text.replace(/[\s\p{Cc}]+/gu, ' ')
    return merged[0] === ' ' && (this.buffer === '' || this.buffer.endsWith(' ')) ? merged.slice(1) : merged
  }
}

/** Counts a surrogate pair as one character, unless the text is far too long. A last blank is not counted. */
function charactersIn(text: string, max: number): number {
  const line = text.endsWith(' ') ? text.slice(0, -1) : text
  return line.length > 2 * max ? line.length : [...line].length
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
