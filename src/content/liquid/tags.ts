import { type Context, type Liquid, Tag, type TagToken, type TopLevelToken } from 'liquidjs'
import { CatalogItemsTag, CatalogSelectionTag } from './catalog-tags.ts'
import { ConnectedContentTag } from './connected-content-tag.ts'
import { Aborted } from './run.ts'
import { type Piece, readPieces, trimSpan, wordsSpan, writePieces } from './tag-pieces.ts'

const defaultReason = 'abort_message was called'

/** `{% abort_message('reason') %}`: this person gets no message. */
class AbortMessageTag extends Tag {
  readonly #reason: readonly Piece[]

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    let span = trimSpan(token.input, wordsSpan(token))
    for (const [open, close] of ['()', "''", '""'] as unknown as [string, string][]) {
      if (span[1] - span[0] < 2 || token.input[span[0]] !== open || token.input[span[1] - 1] !== close) continue
      span = trimSpan(token.input, [span[0] + 1, span[1] - 1])
    }
    this.#reason = readPieces(token, span, liquid)
  }

  *render(context: Context): Generator<unknown, void, unknown> {
    throw new Aborted(((yield writePieces(this.#reason, context)) as string).trim() || defaultReason)
  }
}

/** `{% message_extras :key k :value v %}` is for reports that do not exist here; it outputs nothing. */
class MessageExtrasTag extends Tag {
  render(): void {}
}

type TagClass = Liquid['tags'][string]

/** Tags that replace those of the engine, and additional tags of engagement platforms. */
export const tags: Readonly<Record<string, TagClass>> = {
  abort_message: AbortMessageTag,
  catalog_items: CatalogItemsTag,
  catalog_selection_items: CatalogSelectionTag,
  connected_content: ConnectedContentTag,
  message_extras: MessageExtrasTag,
}

/** Tags of the engine that load files. */
export const removedTags: readonly string[] = ['include', 'render', 'layout', 'block']

/** Tags that query sources. */
export const queryingTags: readonly string[] = ['catalog_items', 'catalog_selection_items', 'connected_content']
