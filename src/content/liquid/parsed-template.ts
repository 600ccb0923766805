import type { Template as Node } from 'liquidjs'
import type { TemplateMistake, TextPosition } from './template-mistake.ts'

/** A parsed text. Made once and rendered for many; only valid with the engine that made it. */
export type ParsedTemplate = {
  readonly nodes: readonly Node[]
  /** Names of the content blocks it mentions. */
  readonly blocks: ReadonlySet<string>
  /** Whether rendering it may have to wait for an answer. */
  readonly queriesSources: boolean
  /** Where in the text as it was written a mistake of rendering is. */
  positionOf(error: unknown): TextPosition | undefined
  /** Of a content block that does not parse. */
  readonly mistake?: TemplateMistake
}
