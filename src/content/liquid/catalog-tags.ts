import { type Context, type Liquid, Tag, type TagToken, type TopLevelToken, Value } from 'liquidjs'
import { rerenderItems } from './rerender.ts'
import { formatValue, runOf } from './run.ts'
import type { CatalogItem } from './source-query.ts'
import { type Piece, readPieces, splitSpan, unquoted, wordsSpan, writePieces } from './tag-pieces.ts'

/** Items of one tag. */
export const tagItemsMax = 50

const rerenderWord = /\s:rerender\s*$/

/** `{% catalog_items NAME id, id :rerender %}` sets `items`, in the order of the ids; an item that does not exist is nil. */
export class CatalogItemsTag extends Tag {
  readonly #catalog: readonly Piece[]
  readonly #ids: readonly (readonly Piece[])[]
  readonly #rerender: boolean

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    const { words, rerenders } = readTag(token)
    this.#rerender = rerenders
    if (words.length < 2) throw new Error('catalog_items needs the name of a catalog and the id of an item')
    this.#catalog = readPieces(token, words[0]!, liquid)
    const ids = splitSpan(token.input, [words[1]![0], words.at(-1)![1]], /,/)
    this.#ids = ids.map((span) => readPieces(token, span, liquid))
  }

  *render(context: Context): Generator<unknown, void, unknown> {
    const catalog = (yield writePieces(this.#catalog, context)) as string
    const ids: string[] = []
    for (const pieces of this.#ids) ids.push(...((yield idsOf(pieces, context)) as string[]))
    if (ids.length > tagItemsMax) throw new Error(`catalog_items names more than ${tagItemsMax} items`)
    const items = (yield runOf(context).query!({ kind: 'items', catalog: unquoted(catalog), ids })) as
      | CatalogItem[]
      | undefined
    if (items === undefined) throw new Error(`there is no catalog "${unquoted(catalog)}"`)
    context.bottom().items = this.#rerender ? yield rerenderItems(items, context, this.liquid) : items
  }
}

/** `{% catalog_selection_items NAME selection %}` sets `items` to those of a selection. */
export class CatalogSelectionTag extends Tag {
  readonly #words: readonly (readonly Piece[])[]
  readonly #rerender: boolean

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    const { words, rerenders } = readTag(token)
    this.#rerender = rerenders
    if (words.length !== 2) throw new Error('catalog_selection_items needs the names of a catalog and of a selection')
    this.#words = words.map((span) => readPieces(token, span, liquid))
  }

  *render(context: Context): Generator<unknown, void, unknown> {
    const names: string[] = []
    for (const pieces of this.#words) names.push(unquoted((yield writePieces(pieces, context)) as string))
    const [catalog, selection] = names as [string, string]
    const items = (yield runOf(context).query!({ kind: 'selection', catalog, selection })) as CatalogItem[] | undefined
    if (items === undefined) throw new Error(`there is no selection "${selection}" of a catalog "${catalog}"`)
    context.bottom().items = this.#rerender ? yield rerenderItems(items, context, this.liquid) : items
  }
}

/** Returns the spans of a tag's words, without a final `:rerender`. */
function readTag(token: TagToken) {
  const [start, end] = wordsSpan(token)
  const flag = rerenderWord.exec(token.input.slice(start, end))
  return {
    words: splitSpan(token.input, [start, flag ? start + flag.index : end], /\s/),
    rerenders: flag !== null,
  }
}

/** Reads the ids of a tag. A single value may be a list of ids. Otherwise the ids are text with commas. */
function* idsOf(pieces: readonly Piece[], context: Context): Generator<unknown, string[], unknown> {
  const only = pieces.length === 1 ? pieces[0] : undefined
  const value = only instanceof Value ? yield only.value(context) : yield writePieces(pieces, context)
  const texts = Array.isArray(value) ? value.map(formatValue) : formatValue(value).split(',')
  return texts.map((text) => unquoted(text.trim())).filter((id) => id !== '')
}
