/** What a message knows of one person and of why it is sent. Values are plain: they travel to another thread. */
export type Personal = {
  /** Standard fields by the names of the profile: `first_name`, `external_id`, `email`, `home_city`, `dob`, `service_id`, ... */
  readonly standard: Readonly<Record<string, unknown>>
  readonly custom: Readonly<Record<string, unknown>>
  readonly canvas_entry_properties?: Readonly<Record<string, unknown>>
  /** The newer name of `canvas_entry_properties`; each stands in for the other. */
  readonly context?: Readonly<Record<string, unknown>>
  readonly event_properties?: Readonly<Record<string, unknown>>
  readonly api_trigger_properties?: Readonly<Record<string, unknown>>
  readonly subscribed_state?: Readonly<Record<string, unknown>>
  readonly most_recently_used_device?: Readonly<Record<string, unknown>>
  readonly targeted_device?: Readonly<Record<string, unknown>>
  readonly campaign?: Readonly<Record<string, unknown>>
  readonly canvas?: Readonly<Record<string, unknown>>
  readonly app?: Readonly<Record<string, unknown>>
}

/** What became of one person's texts. The place is in the text named, or in the content block that the message names. */
export type Rendered =
  | { readonly outcome: 'rendered'; readonly texts: Readonly<Record<string, string>> }
  | { readonly outcome: 'aborted'; readonly reason: string }
  | Failed

export type Failed = {
  readonly outcome: 'failed'
  readonly message: string
  /** The name of the text. */
  readonly text?: string
  readonly line?: number
  readonly column?: number
}
