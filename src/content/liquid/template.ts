import type { Template as Node } from 'liquidjs'
import type { Place, TemplateMistake } from './mistake.ts'

/** A parsed text. Made once and rendered for many; only valid with the engine that made it. */
export type Template = {
  readonly nodes: readonly Node[]
  /** Names of the content blocks it mentions. */
  readonly blocks: ReadonlySet<string>
  /** Whether rendering it may have to wait for an answer. */
  readonly asks: boolean
  /** Where in the text as it was written a mistake of rendering is. */
  placeOf(error: unknown): Place | undefined
  /** Of a content block that does not parse. */
  readonly mistake?: TemplateMistake
}
