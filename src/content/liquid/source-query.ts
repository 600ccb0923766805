/** A query of a text while it is rendered. The service answers it with the database or the fetcher. */
export type SourceQuery =
  | { readonly kind: 'items'; readonly catalog: string; readonly ids: readonly string[] }
  | { readonly kind: 'selection'; readonly catalog: string; readonly selection: string }
  | { readonly kind: 'blocks'; readonly names: readonly string[] }
  | { readonly kind: 'fetch'; readonly request: ContentRequest }

/** A request of `connected_content`. `basic_auth` is the name of a credential: its password never reaches a template. */
export type ContentRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly basic_auth?: string
  /** Seconds for which the response may be cached; 0: not at all. */
  readonly cacheS: number
  readonly retry: boolean
}

/** The response of another server; undefined when it did not respond. `refused`: why the text must not be rendered. */
export type ContentResponse =
  | { readonly status: number; readonly text: string }
  | { readonly refused: string }
  | undefined

/** The values of an item, by the names of the catalog's fields. */
export type CatalogItem = Readonly<Record<string, unknown>>
