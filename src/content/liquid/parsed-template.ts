import type { Template as Node } from 'liquidjs'
import type { TemplateMistake, TextPosition } from './template-mistake.ts'

/** A parsed text. It can be rendered many times, but only with the engine that parsed it. */
export type ParsedTemplate = {
  readonly nodes: readonly Node[]
  /** Names of the content blocks that the text mentions. */
  readonly blocks: ReadonlySet<string>
  /** Whether rendering may wait for the result of a query. */
  readonly queriesSources: boolean
  /** Whether rendering may wait for another server. */
  readonly asksServers: boolean
  /** Returns the position of a rendering error in the original text. */
  positionOf(error: unknown): TextPosition | undefined
  /** Why the text does not parse. */
  readonly mistake?: TemplateMistake
}
