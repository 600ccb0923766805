import type { TemplateVariables } from '../../content/liquid/variables.ts'
import type { Renderer, RenderOptions } from '../../content/rendering/renderer.ts'
import { mistakesMax } from './schema.ts'

/** The first mistake of a text. Line and column are null for one that has no place, and `text` for one of all texts together. */
export type TextMistake = {
  readonly text: string | null
  readonly content_block: string | null
  readonly message: string
  readonly line: number | null
  readonly column: number | null
}

/** The texts that could be rendered, with the mistakes of the others. `reason`: a text ended the message. */
export type EachRendered = {
  readonly texts: Readonly<Record<string, string>>
  readonly mistakes: readonly TextMistake[]
  readonly reason?: string
}

/** Renders texts for one person. A text with a mistake is left out, and the others are rendered without it. */
export async function renderEach(
  renderer: Renderer,
  texts: Readonly<Record<string, string>>,
  variables: TemplateVariables,
  options: RenderOptions,
): Promise<EachRendered> {
  const left = new Map(Object.entries(texts))
  const mistakes: TextMistake[] = []
  while (left.size > 0) {
    const rendered = await renderer.render(Object.fromEntries(left), variables, options)
    if (rendered.outcome === 'rendered') return { texts: rendered.texts, mistakes }
    if (rendered.outcome === 'aborted') return { texts: {}, mistakes, reason: rendered.reason }
    const { text = null, content_block = null, message, line = null, column = null } = rendered
    mistakes.push({ text, content_block, message, line, column })
    if (text === null || !left.delete(text) || mistakes.length >= mistakesMax) break
  }
  return { texts: {}, mistakes }
}
