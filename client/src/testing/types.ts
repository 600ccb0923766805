/** Which requests are meant. An absent member does not filter. */
export type RequestFilter = {
  readonly method?: string
  /** The path without its query; `*` stands for any part. */
  readonly path?: string
  /** A part of the body: of an object the named members, of a list entries that are in it in any order. */
  readonly body?: unknown
}

/** A request that the emulator has answered. */
export type RecordedRequest = {
  readonly number: number
  readonly request_id: string
  readonly at: string
  readonly workspace: string | null
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, readonly string[]>>
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body.
  readonly body: any
  /** Null when the connection was cut. */
  readonly status: number | null
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer.
  readonly answer: any
  readonly fault: string | null
}

type Times = { readonly times?: number }
type FaultOf =
  | { readonly kind: 'rate_limit'; readonly retry_after_s?: number }
  | { readonly kind: 'status'; readonly status?: number; readonly message?: string }
  | { readonly kind: 'slow'; readonly delay_ms: number }
  | { readonly kind: 'cut'; readonly effect: 'before' | 'after' }

/** What the next requests or mails meet, `times` of them; 1 when it is absent. */
export type Fault =
  | (FaultOf & Times & RequestFilter)
  | ({ readonly kind: 'partial'; readonly items: readonly PartialItem[] } & Times & RequestFilter)
  | ({
      readonly kind: 'refuse_mail'
      readonly to?: string
      readonly code?: number
      readonly enhanced?: string
      readonly message?: string
    } & Times)

/** An object of a request to `/users/track` that is refused. */
export type PartialItem = {
  readonly input_array: 'attributes' | 'events' | 'purchases'
  readonly index: number
  readonly type?: string
}

/** A mail in the inbox. */
export type InboxMail = {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly at: string
  readonly external_id: string | null
  readonly dispatch_id: string | null
}

/** A mail with its parts. */
export type WholeMail = InboxMail & {
  readonly from: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly html: string | null
  readonly text: string | null
}
