/** What a text that is being rendered asks of the thread that has the database and the way out. */
export type SourceQuery =
  | { readonly kind: 'items'; readonly catalog: string; readonly ids: readonly string[] }
  | { readonly kind: 'selection'; readonly catalog: string; readonly selection: string }
  | { readonly kind: 'blocks'; readonly names: readonly string[] }
  | { readonly kind: 'fetch'; readonly request: ContentRequest }

/** What `connected_content` says. The credential is a name: what it stands for never reaches a template. */
export type ContentRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly basic_auth?: string
  /** Seconds for which an answer may serve again; 0 is never. */
  readonly cacheS: number
  readonly retry: boolean
}

/** An answer of another server; or none, undefined; or why there must not be one, which ends the rendering. */
export type ContentResponse =
  | { readonly status: number; readonly text: string }
  | { readonly refused: string }
  | undefined

/** An item of a catalog, by the names of its fields. */
export type CatalogItem = Readonly<Record<string, unknown>>
