/** The result of one person's texts. Line and column are positions in `text`, or in the content block that the message names. */
export type Rendered =
  | { readonly outcome: 'rendered'; readonly texts: Readonly<Record<string, string>> }
  | { readonly outcome: 'aborted'; readonly reason: string }
  | RenderFailed

export type RenderFailed = {
  readonly outcome: 'failed'
  readonly message: string
  /** The name of the text. */
  readonly text?: string
  readonly line?: number
  readonly column?: number
}
