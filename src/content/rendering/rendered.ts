/** The result of one person's texts. Line and column are positions in `text`, or in the content block that the message names. */
export type Rendered =
  | {
      readonly outcome: 'rendered'
      /** Texts that were finished are empty. */
      readonly texts: Readonly<Record<string, string>>
      /** What was made of long texts (`finishing.ts`). */
      readonly finished?: unknown
    }
  | { readonly outcome: 'aborted'; readonly reason: string }
  | RenderFailed

export type RenderFailed = {
  readonly outcome: 'failed'
  readonly message: string
  /** The name of the text. */
  readonly text?: string
  /** The name of the content block that has the mistake. Line and column are then positions in its content. */
  readonly content_block?: string
  readonly line?: number
  readonly column?: number
}
