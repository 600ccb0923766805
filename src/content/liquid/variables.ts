/**
 * The data of one person and of the reason for a message, for templates. It has only plain values, because it is copied to another process.
 */
export type TemplateVariables = {
  /** Standard fields by the names of the profile: `first_name`, `external_id`, `email`, `home_city`, `dob`, `service_id`, ... */
  readonly standard: Readonly<Record<string, unknown>>
  readonly custom: Readonly<Record<string, unknown>>
  readonly canvas_entry_properties?: Readonly<Record<string, unknown>>
  /** The newer name of `canvas_entry_properties`. When only one of them is present, templates can use both names for it. */
  readonly context?: Readonly<Record<string, unknown>>
  readonly event_properties?: Readonly<Record<string, unknown>>
  readonly api_trigger_properties?: Readonly<Record<string, unknown>>
  readonly subscribed_state?: Readonly<Record<string, unknown>>
  readonly most_recently_used_device?: Readonly<Record<string, unknown>>
  readonly targeted_device?: Readonly<Record<string, unknown>>
  readonly campaign?: Readonly<Record<string, unknown>>
  readonly canvas?: Readonly<Record<string, unknown>>
  readonly app?: Readonly<Record<string, unknown>>
  /** The names of the fields of a preference center. */
  readonly form_field_name?: Readonly<Record<string, unknown>>
  /** The links of the person to the preference centers, by their names. */
  readonly preference_center?: Readonly<Record<string, string>>
  /** Where the form of a preference center is sent, under both names. */
  readonly submit_url?: string
  readonly preference_center_submit_url?: string
}
