// Written by npm run generate from /openapi.json, with scripts/client-package.ts.

export type ActionPath = {
  /** One line */
  readonly name?: string
  /** The name of an event */
  readonly event?: string
  /** The id of a product, or any */
  readonly purchase?: string
  /** What the properties of the event or purchase must be: a value, or a comparison */
  readonly properties?: { readonly [name: string]: string | number | boolean | PropertyTest }
  /** Properties that must have the values of the event that began the entry */
  readonly same?: readonly string[]
  /** The id of the next step; absent: the canvas ends there */
  readonly next?: string
}

export type ActionPathsStep = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** One line */
  readonly name?: string
  readonly type: 'action_paths'
  /** A length of time from PT1S to P730D without months and years, such as P3D or PT30M */
  readonly within: string
  readonly paths: readonly ActionPath[]
  /** The id of the next step; absent: the canvas ends there */
  readonly otherwise?: string
}

export type AdminError = {
  /** What is wrong, for a person to read. */
  readonly message: string
  /** Only when the body is not JSON. */
  readonly error?: string
  /** One entry for each mistake, at endpoints that list them. */
  readonly errors?: readonly unknown[]
}

export type AndCondition = { readonly AND: readonly Condition[] }

/** an object with name and permissions */
export type ApiKey = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** 8 to 255 visible ASCII characters */
  readonly key?: string
  /** a list of different permissions such as [users.track, users.export.ids], or ["*"] for all */
  readonly permissions: readonly (
      | '*'
      | 'users.track'
      | 'users.track.sync'
      | 'users.delete'
      | 'users.alias.new'
      | 'users.alias.update'
      | 'users.identify'
      | 'users.export.ids'
      | 'users.export.segment'
      | 'users.export.global_control_group'
      | 'users.merge'
      | 'users.external_ids.rename'
      | 'users.external_ids.remove'
      | 'email.unsubscribe'
      | 'email.status'
      | 'email.hard_bounces'
      | 'email.bounce.remove'
      | 'email.spam.remove'
      | 'email.blacklist'
      | 'messages.send'
      | 'messages.schedule.create'
      | 'messages.schedule.update'
      | 'messages.schedule.delete'
      | 'messages.schedule_broadcasts'
      | 'messages.live_activity.update'
      | 'campaigns.trigger.send'
      | 'campaigns.trigger.schedule.create'
      | 'campaigns.trigger.schedule.update'
      | 'campaigns.trigger.schedule.delete'
      | 'campaigns.list'
      | 'campaigns.data_series'
      | 'campaigns.details'
      | 'campaigns.url_info.details'
      | 'campaigns.duplicate'
      | 'sends.data_series'
      | 'sends.id.create'
      | 'transactional.send'
      | 'canvas.trigger.send'
      | 'canvas.trigger.schedule.create'
      | 'canvas.trigger.schedule.update'
      | 'canvas.trigger.schedule.delete'
      | 'canvas.list'
      | 'canvas.data_series'
      | 'canvas.data_summary'
      | 'canvas.details'
      | 'canvas.url_info.details'
      | 'canvas.duplicate'
      | 'segments.list'
      | 'segments.data_series'
      | 'segments.details'
      | 'purchases.product_list'
      | 'purchases.revenue_series'
      | 'purchases.quantity_series'
      | 'events.list'
      | 'events.data_series'
      | 'sessions.data_series'
      | 'kpi.dau.data_series'
      | 'kpi.mau.data_series'
      | 'kpi.new_users.data_series'
      | 'kpi.uninstalls.data_series'
      | 'feed.list'
      | 'feed.details'
      | 'feed.data_series'
      | 'templates.email.create'
      | 'templates.email.info'
      | 'templates.email.list'
      | 'templates.email.update'
      | 'content_blocks.info'
      | 'content_blocks.list'
      | 'content_blocks.create'
      | 'content_blocks.update'
      | 'media_library.create'
      | 'subscription.status.set'
      | 'subscription.status.get'
      | 'subscription.groups.get'
      | 'preference_center.get'
      | 'preference_center.list'
      | 'preference_center.update'
      | 'preference_center.user.get'
      | 'partners.cohorts'
      | 'sms.invalid_phone_numbers'
      | 'sms.invalid_phone_numbers.remove'
      | 'catalogs.add_items'
      | 'catalogs.update_items'
      | 'catalogs.delete_items'
      | 'catalogs.replace_items'
      | 'catalogs.get_items'
      | 'catalogs.get_item'
      | 'catalogs.create_item'
      | 'catalogs.update_item'
      | 'catalogs.replace_item'
      | 'catalogs.delete_item'
      | 'catalogs.create'
      | 'catalogs.get'
      | 'catalogs.delete'
      | 'catalogs.create_fields'
      | 'catalogs.delete_fields'
      | 'catalogs.create_selection'
      | 'catalogs.delete_selection'
      | 'sdk_authentication.create'
      | 'sdk_authentication.primary'
      | 'sdk_authentication.delete'
      | 'sdk_authentication.keys'
      | 'sdk.data'
      | 'custom_attributes.get'
      | 'custom_attributes.blocklist'
      | 'cdi.integration_list'
      | 'cdi.integration_sync'
      | 'cdi.integration_job_status'
      | 'sso.saml.login')[]
  /** a list of at most 100 IP addresses or networks */
  readonly allowed_ips?: readonly string[]
  /** true or false: whether an object is refused when a part of it would not be kept */
  readonly strict?: boolean
}

/** an object with name and platform */
export type AppInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** android, ios, web, email, sms, server or other */
  readonly platform: 'android' | 'ios' | 'web' | 'email' | 'sms' | 'server' | 'other'
}

export type Attachment = {
  /** Without the extension. */
  readonly file_name: string
  /** Its path must end in an accepted extension. */
  readonly url: string
  /** The name of a stored credential. */
  readonly basic_auth_credential?: string
}

/** Any other member is a custom attribute; null removes it */
export type Attribute = {
  /** At most 987 bytes */
  readonly external_id?: string | number
  readonly user_alias?: UserAlias
  /** 24 hexadecimal digits, assigned by the service */
  readonly service_id?: string
  /** Identifies the person if none of the three above is given */
  readonly email?: string
  /** E.164; identifies the person if nothing above is given */
  readonly phone?: string
  /** true: no person is created. false: an alias creates an alias-only profile */
  readonly _update_existing_only?: boolean
  /** Merge objects into the stored ones */
  readonly _merge_objects?: boolean
  readonly first_name?: string | null
  readonly last_name?: string | null
  readonly gender?: 'M' | 'F' | 'O' | 'N' | 'P' | null
  readonly dob?: string | null
  readonly country?: string | null
  readonly home_city?: string | null
  readonly language?: string | null
  readonly time_zone?: string | null
  readonly image_url?: string | null
  readonly current_location?: { readonly longitude: number; readonly latitude: number }
  readonly email_subscribe?: 'opted_in' | 'subscribed' | 'unsubscribed'
  readonly push_subscribe?: 'opted_in' | 'subscribed' | 'unsubscribed'
  readonly email_open_tracking_disabled?: boolean
  readonly email_click_tracking_disabled?: boolean
  readonly date_of_first_session?: string
  readonly date_of_last_session?: string
  readonly marked_email_as_spam_at?: string
  readonly subscription_groups?: readonly ({
    readonly subscription_group_id: string
    readonly subscription_state: 'subscribed' | 'unsubscribed'
  })[]
  readonly push_tokens?: readonly {
    readonly app_id: string
    readonly token: string
    /** 8 to 255 bytes; generated when absent */
    readonly device_id?: string
    readonly notifications_enabled?: boolean
  }[]
  /** Each token creates an anonymous profile */
  readonly push_token_import?: boolean
  readonly facebook?: { readonly [name: string]: unknown }
  readonly twitter?: { readonly [name: string]: unknown }
  readonly [name: string]: unknown
}

export type CampaignInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** at most 1000 characters */
  readonly description?: string
  /** a list of at most 50 different tags */
  readonly tags?: readonly string[]
  /** draft, active, paused or archived */
  readonly state?: 'draft' | 'active' | 'paused' | 'archived'
  readonly class?: 'marketing' | 'transactional'
  /** Who may enter; all people when absent */
  readonly segment?: Condition | StoredSegment
  /** The same as `segment`. Only one of them is given */
  readonly audience?: Condition | StoredSegment
  readonly entry?: FlowEntry
  readonly exit?: FlowExit
  readonly conversions?: readonly FlowConversion[]
  /** People who enter and get nothing */
  readonly control_percent?: number
  /** Who gets the messages; `all` only with the class transactional, where it is the default */
  readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
  readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
  /** 1 to 1000000 messages in a second, min, hour or day, such as 500/min */
  readonly rate?: string
  /** The variants; percents add to 100 */
  readonly messages: readonly CampaignMessage[]
}

export type CampaignMessage = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** One line */
  readonly name?: string
  readonly percent?: number
  readonly email?: FlowEmail
  readonly sms?: FlowText
  readonly web_push?: FlowWebPush
  readonly apple_push?: FlowApplePush
  readonly android_push?: FlowAndroidPush
  readonly webhook?: FlowWebhook
}

export type CanvasInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** at most 1000 characters */
  readonly description?: string
  /** a list of at most 50 different tags */
  readonly tags?: readonly string[]
  /** draft, active, paused or archived */
  readonly state?: 'draft' | 'active' | 'paused' | 'archived'
  readonly class?: 'marketing' | 'transactional'
  /** Who may enter; all people when absent */
  readonly segment?: Condition | StoredSegment
  /** The same as `segment`. Only one of them is given */
  readonly audience?: Condition | StoredSegment
  readonly entry?: FlowEntry
  readonly exit?: FlowExit
  readonly conversions?: readonly FlowConversion[]
  /** People who enter and get nothing */
  readonly control_percent?: number
  /** Who gets the messages; `all` only with the class transactional, where it is the default */
  readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
  readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
  /** 1 to 1000000 messages in a second, min, hour or day, such as 500/min */
  readonly rate?: string
  /** Where people begin; percents add to 100 */
  readonly variants?: readonly FlowVariant[]
  /** The id of the first step, when there are no variants */
  readonly first?: string
  readonly steps: readonly FlowStep[]
}

export type CardsClicked = { readonly name: string }

export type CatalogError = {
  /** What is wrong, for a person to read. */
  readonly message: string
  /** Only when the body is not JSON. */
  readonly error?: string
  /** Present when the content of the request is refused: one entry for each mistake of each item. */
  readonly errors?: readonly {
    /** What is wrong, for a program to read. */
    readonly id: string
    /** What is wrong, for a person to read. */
    readonly message: string
    /** What the mistake is about. */
    readonly parameters: readonly string[]
    /** The values of the parameters, one for each. */
    readonly parameter_values: readonly unknown[]
  }[]
}

/** an object with name and type */
export type CatalogField = {
  /** 1 to 250 letters, digits, hyphens or underscores */
  readonly name: string
  /** one of string, number, boolean, time, object, array, geo */
  readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
}

/** an object with name and fields */
export type CatalogInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** 1 to 250 letters, digits, hyphens or underscores */
  readonly name: string
  /** text of at most 250 characters */
  readonly description?: string
  /** a list of 1 to 500 fields with name and type */
  readonly fields: readonly CatalogField[]
}

/** The other members are fields of the catalog */
export type CatalogItem = { readonly id: string; readonly [name: string]: unknown }

export type CatalogsReply = {
  readonly catalogs: readonly ({
    readonly description: string
    readonly fields: readonly ({
      readonly name: string
      readonly token: string
      readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
    })[]
    readonly name: string
    readonly source: string
    readonly num_items: number
    /** Bytes of the items as JSON */
    readonly storage_size: number
    /** Bytes of the selections as JSON */
    readonly selections_size: number
    readonly updated_at: string
    readonly selections: readonly Selection[]
  })[]
  readonly message: 'success'
}

export type ClickedTrigger = { readonly clicked: 'email' }

export type CohortCondition = {
  readonly cohort: {
    readonly partner: string
    readonly cohort_id: string
    readonly comparison?: 'is' | 'is_not'
  }
}

/** Who is in the segment: a condition, or a tree of `AND`, `OR` and `NOT`. At most 20 nodes deep, with at most 500 conditions. */
export type Condition = CustomAttributeCondition | PushSubscriptionStatusCondition | EmailSubscriptionStatusCondition | LastUsedAppCondition | StandardAttributeCondition | SubscriptionGroupCondition | CohortCondition | FirstUsedAppCondition | DeviceCondition | CustomEventCondition | PurchaseCondition | FirstCustomEventCondition | LastCustomEventCondition | FirstPurchaseCondition | LastPurchaseCondition | TotalRevenueCondition | RandomBucketCondition | SessionCountCondition | LastReceivedMessageCondition | SegmentCondition | AndCondition | OrCondition | NotCondition

export type ConditionPath = {
  /** One line */
  readonly name?: string
  /** Conditions, or a stored segment */
  readonly segment?: Condition | StoredSegment
  /** The same as `segment`. Only one of them is given */
  readonly audience?: Condition | StoredSegment
  /** The id of the next step; absent: the canvas ends there */
  readonly next?: string
}

/** an object with name and content */
export type ContentBlockInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** 1 to 99 letters, digits, dashes or underscores */
  readonly name: string
  /** at most 249 characters */
  readonly description?: string
  /** text that is not empty, smaller than 51200 bytes */
  readonly content: string
  /** active or draft */
  readonly state?: 'active' | 'draft'
  /** a list of at most 50 different tags */
  readonly tags?: readonly string[]
}

export type CredentialHeader = {
  readonly credential: string
  readonly scheme?: 'basic' | 'bearer' | 'plain'
}

/** an object with name, user_name, password and origins */
export type CredentialInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** 1 to 255 characters without colons and line breaks */
  readonly user_name: string
  /** 1 to 1024 characters without line breaks */
  readonly password?: string
  /** a list of 1 to 100 different origins such as https://files.example.com */
  readonly origins?: readonly string[]
}

export type CustomAttributeCondition = {
  readonly custom_attribute: {
    readonly custom_attribute_name: string
    /** The keys below a nested attribute. Of a list on the path, each element is tested. */
    readonly path?: readonly string[]
    readonly comparison: 
        | 'equals'
        | 'not_equal'
        | 'does_not_equal'
        | 'matches_regex'
        | 'does_not_match_regex'
        | 'greater_than'
        | 'greater_than_or_equal_to'
        | 'less_than'
        | 'less_than_or_equal_to'
        | 'exists'
        | 'does_not_exist'
        | 'includes_value'
        | 'does_not_include_value'
        | 'less_than_x_days_ago'
        | 'greater_than_x_days_ago'
        | 'less_than_x_days_in_the_future'
        | 'greater_than_x_days_in_the_future'
        | 'after'
        | 'before'
    /** Omit it with `exists` and `does_not_exist`. Its type decides which comparison is made. */
    readonly value?: string | number | boolean
  }
}

export type CustomEvent = {
  readonly name: string
  readonly first: string
  readonly last: string
  readonly count: number
}

export type CustomEventCondition = {
  readonly custom_event: {
    readonly name?: string
    /** The last days; ever when absent */
    readonly days?: number
    /** The same event or purchase must pass all of them. */
    readonly properties?: readonly Property[]
    readonly comparison: 
        | 'equals'
        | 'not_equal'
        | 'does_not_equal'
        | 'greater_than'
        | 'greater_than_or_equal_to'
        | 'less_than'
        | 'less_than_or_equal_to'
        | 'exists'
        | 'does_not_exist'
    /** Times */
    readonly value?: number
  }
}

export type DecisionStep = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** One line */
  readonly name?: string
  readonly type: 'decision'
  /** Conditions, or a stored segment */
  readonly segment?: Condition | StoredSegment
  /** The same as `segment`. Only one of them is given */
  readonly audience?: Condition | StoredSegment
  /** The id of the next step; absent: the canvas ends there */
  readonly yes?: string
  /** The id of the next step; absent: the canvas ends there */
  readonly no?: string
}

export type DelayStep = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** One line */
  readonly name?: string
  readonly type: 'delay'
  /** A length of time from PT1S to P730D without months and years, such as P3D or PT30M. Not with `until` */
  readonly for?: string
  /** The next time of day in the time zone of the person */
  readonly until?: string
  /** Only with `until` */
  readonly weekdays?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  /** The id of the next step; absent: the canvas ends there */
  readonly next?: string
}

export type DeviceCondition = {
  readonly device: {
    readonly name: 'model' | 'os' | 'carrier'
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'exists' | 'does_not_exist'
    readonly value?: string
  }
}

export type Dispatch = {
  readonly dispatch_id: string
  readonly schedule_id: string | null
  readonly send_id: string | null
  readonly class: string
  /** active, paused or cancelled. */
  readonly state: string
  readonly asked_at: string
  readonly schedule: { readonly [name: string]: unknown } | null
  readonly segment_id: string | null
  readonly audience: unknown
  readonly broadcast: boolean
  readonly recipient_subscription_state: string | null
}

/** an object with name (the domain), selector and private_key */
export type DkimKeyInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** a domain in lower case such as example.com, in its ASCII form */
  readonly name: string
  /** a DKIM selector such as easel1: lower-case letters, digits and dashes */
  readonly selector: string
  /** a private key in PEM, RSA of 1024 to 4096 bits or Ed25519 */
  readonly private_key?: string
}

export type Done = { readonly message: 'success' }

/** an object with enabled and from */
export type DoubleOptIn = {
  /** true or false */
  readonly enabled: boolean
  /** the sender: Name <address>, 1 to 998 characters */
  readonly from: string
  /** an address for replies, 1 to 998 characters */
  readonly reply_to?: string
  /** the subject of the mail, 1 to 998 characters */
  readonly subject?: string
  /** the HTML of the mail with the link in it, 1 to 102400 characters */
  readonly body?: string
  /** the plain text of the mail, 1 to 102400 characters */
  readonly plaintext_body?: string
  /** a number of hours from 1 to 720 */
  readonly valid_hours?: number
  /** a number of mails from 1 to 10 */
  readonly sends_max?: number
  /** true or false */
  readonly through_api?: boolean
  /** a language tag, such as en or pt-BR */
  readonly language?: string
  /** an object with the texts that differ from the built-in ones */
  readonly texts?: {
    /** the heading before the button was pressed, 1 to 1000 characters */
    readonly title?: string
    /** what stands above the button, 1 to 1000 characters */
    readonly text?: string
    /** the button, 1 to 1000 characters */
    readonly button?: string
    /** the heading after the button was pressed, 1 to 1000 characters */
    readonly done_title?: string
    /** what stands below that heading, 1 to 1000 characters */
    readonly done_text?: string
  }
}

export type EmailBody = { readonly email: string | readonly string[] }

export type EmailSubscriptionStatusCondition = { readonly email_subscription_status: PushSubscriptionStatus }

export type EmailTemplateIdReply = {
  readonly email_template_id: string
  readonly message: 'success'
}

/** an object with name, subject and body */
export type EmailTemplateInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** at most 1000 characters */
  readonly description?: string
  /** at most 1000 characters */
  readonly subject: string
  /** at most 1000 characters */
  readonly preheader?: string
  /** text that is not empty, smaller than 1048577 bytes */
  readonly body: string
  /** text, smaller than 1048577 bytes */
  readonly plaintext_body?: string
  /** true or false */
  readonly should_inline_css?: boolean
  /** a list of at most 50 different tags */
  readonly tags?: readonly string[]
}

export type EntryAgainAfter = {
  /** A length of time from PT1S to P730D without months and years, such as P3D or PT30M */
  readonly after: string
}

export type EntryEvent = {
  /** The name of an event */
  readonly name: string
  /** What the properties of the event or purchase must be: a value, or a comparison */
  readonly properties?: { readonly [name: string]: string | number | boolean | PropertyTest }
}

export type Error = {
  /** What is wrong, for a person to read. */
  readonly message: string
  /** Only when the body is not JSON. */
  readonly error?: string
  /** One entry for each mistake, at endpoints that list them. */
  readonly details?: readonly unknown[]
  /** The reason, for a program to read, at endpoints that have codes. */
  readonly error_code?: string
}

export type Event = {
  /** At most 987 bytes */
  readonly external_id?: string | number
  readonly user_alias?: UserAlias
  /** 24 hexadecimal digits, assigned by the service */
  readonly service_id?: string
  /** Identifies the person if none of the three above is given */
  readonly email?: string
  /** E.164; identifies the person if nothing above is given */
  readonly phone?: string
  /** true: no person is created. false: an alias creates an alias-only profile */
  readonly _update_existing_only?: boolean
  readonly app_id?: string
  /** ISO 8601; a time in the future counts as now */
  readonly time: string
  readonly properties?: { readonly [name: string]: unknown }
  readonly name: string
}

export type EventTrigger = {
  /** The name of an event */
  readonly event: string
  /** What the properties of the event or purchase must be: a value, or a comparison */
  readonly properties?: { readonly [name: string]: string | number | boolean | PropertyTest }
  /** Properties that must have the values of the event that began the entry */
  readonly same?: readonly string[]
}

export type ExperimentPath = {
  /** One line */
  readonly name?: string
  readonly percent: number
  /** The id of the next step; absent: the canvas ends there */
  readonly next?: string
}

export type ExperimentStep = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** One line */
  readonly name?: string
  readonly type: 'experiment'
  readonly paths: readonly ExperimentPath[]
}

export type ExplainedFlow = {
  /** canvas or campaign. */
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly state: string
  /** The version that people enter now. */
  readonly version: number
}

export type Filter = {
  readonly field: string
  readonly operator: string
  readonly value: unknown
}

export type FirstCustomEvent = {
  readonly name?: string
  /** The same event or purchase must pass all of them. */
  readonly properties?: readonly Property[]
  readonly comparison: 
      | 'less_than_x_days_ago'
      | 'greater_than_x_days_ago'
      | 'less_than_x_days_in_the_future'
      | 'greater_than_x_days_in_the_future'
      | 'after'
      | 'before'
  readonly value: number | string
}

export type FirstCustomEventCondition = { readonly first_custom_event: FirstCustomEvent }

export type FirstPurchase = {
  readonly product_id?: string
  /** The same event or purchase must pass all of them. */
  readonly properties?: readonly Property[]
  readonly comparison: 
      | 'less_than_x_days_ago'
      | 'greater_than_x_days_ago'
      | 'less_than_x_days_in_the_future'
      | 'greater_than_x_days_in_the_future'
      | 'after'
      | 'before'
  readonly value: number | string
}

export type FirstPurchaseCondition = { readonly first_purchase: FirstPurchase }

export type FirstUsedAppCondition = { readonly first_used_app: LastUsedApp }

/** Texts may contain Liquid */
export type FlowAndroidPush = {
  /** The text. */
  readonly alert: string
  /** Absent: the text alone is shown. */
  readonly title?: string
  /** Values for the page or the app. Its texts may contain Liquid. */
  readonly extra?: { readonly [name: string]: unknown }
  /** The address that a click opens. */
  readonly custom_uri?: string
  /** A picture beside the text. */
  readonly image_url?: string
  /** Seconds for which the push service keeps it for a device that is away. */
  readonly time_to_live?: number
  /** Only the device that was used last gets it. */
  readonly send_to_most_recent_device_only?: boolean
  readonly message_variation_id?: string
  /** The sound that the device plays. */
  readonly sound?: string
  /** A later push with the same text replaces this one. */
  readonly collapse_key?: string
  /** A notification channel of the app. */
  readonly notification_channel_id?: string
  readonly android_priority?: 'normal' | 'high'
}

/** Texts may contain Liquid */
export type FlowApplePush = {
  /** The text. */
  readonly alert: string
  /** Absent: the text alone is shown. */
  readonly title?: string
  /** Values for the page or the app. Its texts may contain Liquid. */
  readonly extra?: { readonly [name: string]: unknown }
  /** The address that a click opens. */
  readonly custom_uri?: string
  /** A picture beside the text. */
  readonly image_url?: string
  /** Seconds for which the push service keeps it for a device that is away. */
  readonly time_to_live?: number
  /** Only the device that was used last gets it. */
  readonly send_to_most_recent_device_only?: boolean
  readonly message_variation_id?: string
  /** The sound that the device plays. */
  readonly sound?: string
  /** The number on the icon of the app. */
  readonly badge?: number
  readonly category?: string
  /** A later push with the same text replaces this one. */
  readonly collapse_id?: string
  /** Pushes with the same text are grouped. */
  readonly notification_group_thread_id?: string
}

export type FlowAttachment = {
  readonly file_name: string
  readonly url: string
  readonly basic_auth_credential?: string
}

export type FlowConversion = {
  /** One line */
  readonly name?: string
  readonly on: string | EventTrigger | PurchaseTrigger | OpenedTrigger | ClickedTrigger
  /** A length of time from PT1S to P730D without months and years, such as P3D or PT30M */
  readonly within: string
}

/** Texts may contain Liquid */
export type FlowEmail = {
  /** The id of an app of the workspace */
  readonly app_id: string
  /** Display Name <address>; an address alone where `settings.from_name` has the name */
  readonly from: string
  readonly subject?: string
  /** NO_REPLY_TO: none. Absent: the address of the workspace */
  readonly reply_to?: string | null
  /** One of `settings.bcc` */
  readonly bcc?: string
  /** HTML. Required without `email_template_id` */
  readonly body?: string
  readonly plaintext_body?: string
  readonly preheader?: string
  /** The id of an e-mail template of the workspace */
  readonly email_template_id?: string
  readonly message_variation_id?: string
  readonly extras?: { readonly [name: string]: unknown }
  readonly headers?: { readonly [name: string]: string }
  readonly should_inline_css?: boolean
  readonly attachments?: readonly FlowAttachment[]
}

/** When people enter, and how often they may */
export type FlowEntry = {
  /** Absent: by the event and the schedule that are given, or by the API when there are none */
  readonly by?: readonly ('api' | 'event' | 'schedule')[]
  readonly event?: string | EventTrigger | PurchaseTrigger | EntryEvent
  readonly schedule?: FlowRecurrence
  /** How often a person may enter. Absent: never for a canvas, always for a campaign */
  readonly again?: 'never' | 'always' | EntryAgainAfter
}

/** What makes a person leave early */
export type FlowExit = {
  readonly events?: readonly FlowTrigger[]
  /** Conditions, or a stored segment */
  readonly segment?: Condition | StoredSegment
  /** The same as `segment`. Only one of them is given */
  readonly audience?: Condition | StoredSegment
}

export type FlowRecurrence = {
  /** A time of day such as 09:00 */
  readonly at: string
  readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  /** local, or a time zone such as Europe/Paris */
  readonly zone?: string
  readonly from?: string
  readonly until?: string
}

export type FlowStep = MessageStep | DelayStep | DecisionStep | PathsStep | ActionPathsStep | ExperimentStep | UpdateUserStep | WebhookStep

/** May contain Liquid */
export type FlowText = {
  /** The text. Long ones are sent in several segments */
  readonly body: string
  /** The id of a subscription group for text messages */
  readonly subscription_group_id: string
  /** The sender. Absent: that of the group or of the workspace */
  readonly from?: string
  /** The id of an app of the workspace */
  readonly app_id?: string
  readonly message_variation_id?: string
}

export type FlowTrigger = string | EventTrigger | PurchaseTrigger

export type FlowVariant = {
  /** One line */
  readonly name?: string
  readonly percent?: number
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly first: string
}

/** Texts may contain Liquid */
export type FlowWebPush = {
  /** The text. */
  readonly alert: string
  /** Absent: the text alone is shown. */
  readonly title?: string
  /** Values for the page or the app. Its texts may contain Liquid. */
  readonly extra?: { readonly [name: string]: unknown }
  /** The address that a click opens. */
  readonly custom_uri?: string
  /** A picture beside the text. */
  readonly image_url?: string
  /** Seconds for which the push service keeps it for a device that is away. */
  readonly time_to_live?: number
  /** Only the device that was used last gets it. */
  readonly send_to_most_recent_device_only?: boolean
  readonly message_variation_id?: string
  /** A large picture below the text. */
  readonly large_image_url?: string
  /** It is shown until the person closes it. */
  readonly require_interaction?: boolean
}

/** A request to another server */
export type FlowWebhook = {
  /** May contain Liquid */
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: { readonly [name: string]: string | CredentialHeader | SealedHeader }
  /** A text, or JSON whose texts are rendered one by one */
  readonly body?: unknown
  readonly message_variation_id?: string
}

export type GetAdminClockReply = {
  /** Business time, ISO 8601. */
  readonly now: string
  readonly clock: 'system' | 'virtual'
  /** What becomes due next in the process that answers; absent when nothing does. */
  readonly next?: {
    /** When it is due; in the past for work that waits. */
    readonly at: string
    /** What is due, in words. Only those who may move the clock get names. */
    readonly what: string
  }
  /** Where a virtual clock goes that is being moved now. */
  readonly moving_to?: string
  /** After a move: what was done on the way. */
  readonly done?: {
    /** Messages that ended, by reason. */
    readonly messages: { readonly [name: string]: number }
    /** Times that a person went on in a canvas because it was due. */
    readonly entries_moved: number
  }
  readonly message: 'success'
}

export type GetAdminSettingsReply = {
  /** All settings in effect, defaults included. */
  readonly settings: { readonly [name: string]: unknown }
  /** The settings that were set. */
  readonly set: { readonly [name: string]: unknown }
  readonly message: 'success'
}

export type GetCampaignsDataSeriesReply = {
  /** Oldest first, also days on which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD) */
    readonly time: string
    /** First conversions on the day, each once after an entry or a message */
    readonly conversions: number
    readonly conversions1?: number
    readonly conversions2?: number
    readonly conversions3?: number
    /** The same by the day of the message */
    readonly conversions_by_send_time: number
    readonly conversions1_by_send_time?: number
    readonly conversions2_by_send_time?: number
    readonly conversions3_by_send_time?: number
    /** People, each once a day */
    readonly unique_recipients: number
    /** The sum of price times quantity of purchases within the time for conversions, whatever the currency */
    readonly revenue: number
    readonly messages: {
      readonly email: readonly {
        readonly variation_name: string
        readonly variation_api_id: string
        /** Messages that mail servers accepted on the day */
        readonly sent: number
        /** Those of them that have not bounced */
        readonly delivered: number
        readonly opens: number
        /** First opens of a message */
        readonly unique_opens: number
        readonly clicks: number
        /** First clicks in a message */
        readonly unique_clicks: number
        readonly unsubscribes: number
        readonly bounces: number
        readonly reported_spam: number
        /** First conversions on the day, each once after an entry or a message */
        readonly conversions: number
        readonly conversions1?: number
        readonly conversions2?: number
        readonly conversions3?: number
        /** The same by the day of the message */
        readonly conversions_by_send_time: number
        readonly conversions1_by_send_time?: number
        readonly conversions2_by_send_time?: number
        readonly conversions3_by_send_time?: number
        /** People, each once a day */
        readonly unique_recipients: number
        /** The sum of price times quantity of purchases within the time for conversions, whatever the currency */
        readonly revenue: number
      }[]
    }
  }[]
  readonly message: string
}

/** Never sent: there are no cards */
export type GetFeedDetailsReply = { readonly message: string }

export type GetSegmentsDataSeriesReply = {
  /** Days on which the segment was counted, oldest first. */
  readonly data: readonly {
    /** A day in the time zone of the workspace. */
    readonly time: string
    /** People in the segment, as of the last count of that day. */
    readonly size: number
  }[]
  readonly message: string
}

export type IdReply = {
  /** The id of the copy */
  readonly id: string
  readonly message: 'success'
}

/** Exactly one of the four; `email` and `phone` with `prioritization` */
export type IdentifierToMerge = {
  readonly external_id?: string
  readonly user_alias?: UserAliasInput
  readonly email?: string
  /** E.164 */
  readonly phone?: string
  /** Each priority filters the people that remain after the one before it. When several people remain, nothing happens */
  readonly prioritization?: readonly ('identified' | 'unidentified' | 'most_recently_updated' | 'least_recently_updated')[]
}

export type InboxEntry = {
  readonly id: string
  /** How it was sent: email, or another channel. */
  readonly channel: string
  /** The address of the recipient, or the `bcc` address that got this copy. */
  readonly to: string
  readonly subject: string
  /** When the mail was delivered, in business time. */
  readonly at: string
  readonly external_id: string | null
  /** The order of the mail, or the entry if the person entered the canvas after an event. */
  readonly dispatch_id: string | null
  readonly message_id: string | null
  readonly bytes: number
}

export type ItemsReply = {
  readonly items: readonly CatalogItem[]
  readonly message: 'success'
}

export type Key = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** 8 to 255 visible ASCII characters */
  readonly key?: string
  /** a list of different permissions such as [users.track, users.export.ids], or ["*"] for all */
  readonly permissions: readonly (
      | '*'
      | 'users.track'
      | 'users.track.sync'
      | 'users.delete'
      | 'users.alias.new'
      | 'users.alias.update'
      | 'users.identify'
      | 'users.export.ids'
      | 'users.export.segment'
      | 'users.export.global_control_group'
      | 'users.merge'
      | 'users.external_ids.rename'
      | 'users.external_ids.remove'
      | 'email.unsubscribe'
      | 'email.status'
      | 'email.hard_bounces'
      | 'email.bounce.remove'
      | 'email.spam.remove'
      | 'email.blacklist'
      | 'messages.send'
      | 'messages.schedule.create'
      | 'messages.schedule.update'
      | 'messages.schedule.delete'
      | 'messages.schedule_broadcasts'
      | 'messages.live_activity.update'
      | 'campaigns.trigger.send'
      | 'campaigns.trigger.schedule.create'
      | 'campaigns.trigger.schedule.update'
      | 'campaigns.trigger.schedule.delete'
      | 'campaigns.list'
      | 'campaigns.data_series'
      | 'campaigns.details'
      | 'campaigns.url_info.details'
      | 'campaigns.duplicate'
      | 'sends.data_series'
      | 'sends.id.create'
      | 'transactional.send'
      | 'canvas.trigger.send'
      | 'canvas.trigger.schedule.create'
      | 'canvas.trigger.schedule.update'
      | 'canvas.trigger.schedule.delete'
      | 'canvas.list'
      | 'canvas.data_series'
      | 'canvas.data_summary'
      | 'canvas.details'
      | 'canvas.url_info.details'
      | 'canvas.duplicate'
      | 'segments.list'
      | 'segments.data_series'
      | 'segments.details'
      | 'purchases.product_list'
      | 'purchases.revenue_series'
      | 'purchases.quantity_series'
      | 'events.list'
      | 'events.data_series'
      | 'sessions.data_series'
      | 'kpi.dau.data_series'
      | 'kpi.mau.data_series'
      | 'kpi.new_users.data_series'
      | 'kpi.uninstalls.data_series'
      | 'feed.list'
      | 'feed.details'
      | 'feed.data_series'
      | 'templates.email.create'
      | 'templates.email.info'
      | 'templates.email.list'
      | 'templates.email.update'
      | 'content_blocks.info'
      | 'content_blocks.list'
      | 'content_blocks.create'
      | 'content_blocks.update'
      | 'media_library.create'
      | 'subscription.status.set'
      | 'subscription.status.get'
      | 'subscription.groups.get'
      | 'preference_center.get'
      | 'preference_center.list'
      | 'preference_center.update'
      | 'preference_center.user.get'
      | 'partners.cohorts'
      | 'sms.invalid_phone_numbers'
      | 'sms.invalid_phone_numbers.remove'
      | 'catalogs.add_items'
      | 'catalogs.update_items'
      | 'catalogs.delete_items'
      | 'catalogs.replace_items'
      | 'catalogs.get_items'
      | 'catalogs.get_item'
      | 'catalogs.create_item'
      | 'catalogs.update_item'
      | 'catalogs.replace_item'
      | 'catalogs.delete_item'
      | 'catalogs.create'
      | 'catalogs.get'
      | 'catalogs.delete'
      | 'catalogs.create_fields'
      | 'catalogs.delete_fields'
      | 'catalogs.create_selection'
      | 'catalogs.delete_selection'
      | 'sdk_authentication.create'
      | 'sdk_authentication.primary'
      | 'sdk_authentication.delete'
      | 'sdk_authentication.keys'
      | 'sdk.data'
      | 'custom_attributes.get'
      | 'custom_attributes.blocklist'
      | 'cdi.integration_list'
      | 'cdi.integration_sync'
      | 'cdi.integration_job_status'
      | 'sso.saml.login')[]
  /** a list of at most 100 IP addresses or networks */
  readonly allowed_ips: readonly string[]
  readonly strict: boolean
  /** The first characters of the key, by which its holder recognises it */
  readonly key_start: string
  readonly created_at: string
  /** Written every minute; null for a key that was never used */
  readonly last_used_at: string | null
}

export type KeyReply = { readonly key: Key; readonly message: 'success' }

export type LastCustomEventCondition = { readonly last_custom_event: FirstCustomEvent }

export type LastPurchaseCondition = { readonly last_purchase: FirstPurchase }

export type LastReceivedMessageCondition = {
  readonly last_received_message: {
    readonly channel?: 'email' | 'webhook'
    readonly comparison: 
        | 'less_than_x_days_ago'
        | 'greater_than_x_days_ago'
        | 'less_than_x_days_in_the_future'
        | 'greater_than_x_days_in_the_future'
        | 'after'
        | 'before'
        | 'exists'
        | 'does_not_exist'
    readonly value?: number | string
  }
}

export type LastUsedApp = {
  readonly app_id?: string
  readonly comparison: 
      | 'less_than_x_days_ago'
      | 'greater_than_x_days_ago'
      | 'less_than_x_days_in_the_future'
      | 'greater_than_x_days_in_the_future'
      | 'after'
      | 'before'
      | 'exists'
      | 'does_not_exist'
  readonly value?: number | string
}

export type LastUsedAppCondition = { readonly last_used_app: LastUsedApp }

export type Message = {
  readonly message_id: string
  readonly state: string
  readonly address: string | null
  readonly subject: string | null
  readonly response: string | null
  readonly warnings: readonly string[]
  readonly attempts: number
  readonly planned_at: string
  readonly ended_at: string | null
  readonly bounced_at: string | null
  readonly complained_at: string | null
  readonly engagement: readonly ({
    /** opened, clicked, machine_opened, machine_clicked or unsubscribed. */
    readonly kind: string
    readonly url: string | null
    readonly first_at: string
    readonly last_at: string
    readonly count: number
  })[]
}

export type MessageStep = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** One line */
  readonly name?: string
  readonly type: 'message'
  readonly channel?: 'email' | 'sms' | 'web_push' | 'apple_push' | 'android_push' | 'webhook'
  readonly message: FlowEmail | FlowText | FlowWebPush | FlowApplePush | FlowAndroidPush | FlowWebhook
  /** The id of the next step; absent: the canvas ends there */
  readonly next?: string
}

export type Messages = {
  /** Texts may contain Liquid. */
  readonly email?: {
    readonly app_id: string
    /** Display Name <address>; or an address, where `settings.from_name` has the name. */
    readonly from: string
    readonly subject?: string
    /** `NO_REPLY_TO`: none. Absent: the address of the workspace. */
    readonly reply_to?: string | null
    /** One of `settings.bcc`. */
    readonly bcc?: string
    /** Required without `email_template_id`. */
    readonly body?: string
    readonly plaintext_body?: string
    readonly preheader?: string
    readonly email_template_id?: string
    readonly message_variation_id?: string
    readonly extras?: { readonly [name: string]: unknown }
    readonly headers?: { readonly [name: string]: string }
    readonly should_inline_css?: boolean
    readonly attachments?: readonly Attachment[]
  }
  /** Is checked but not delivered: `notices` names it. A request without a delivered channel is refused. */
  readonly kindle_push?: { readonly [name: string]: unknown }
  /** Is checked but not delivered: `notices` names it. A request without a delivered channel is refused. */
  readonly windows_push?: { readonly [name: string]: unknown }
  /** Is checked but not delivered: `notices` names it. A request without a delivered channel is refused. */
  readonly windows8_push?: { readonly [name: string]: unknown }
  /** Is checked but not delivered: `notices` names it. A request without a delivered channel is refused. */
  readonly windows_phone8_push?: { readonly [name: string]: unknown }
  /** Is checked but not delivered: `notices` names it. A request without a delivered channel is refused. */
  readonly windows_universal_push?: { readonly [name: string]: unknown }
  /** Is checked but not delivered: `notices` names it. A request without a delivered channel is refused. */
  readonly content_card?: { readonly [name: string]: unknown }
  /** Is checked but not delivered: `notices` names it. A request without a delivered channel is refused. */
  readonly slideup?: { readonly [name: string]: unknown }
  /** Is checked but not delivered: `notices` names it. A request without a delivered channel is refused. */
  readonly whats_app?: { readonly [name: string]: unknown }
  readonly sms?: {
    /** May contain Liquid. */
    readonly body: string
    /** A group for text messages. Only people who are subscribed to it get the text. */
    readonly subscription_group_id: string
    /** A phone number, a short code, a name of at most 11 characters, or the id of a messaging service. Absent: the sender of the group or the workspace (`settings.sms`). */
    readonly from?: string
    readonly app_id?: string
    readonly message_variation_id?: string
  }
  /** Texts may contain Liquid. */
  readonly web_push?: {
    /** The text. */
    readonly alert: string
    /** Absent: the text alone is shown. */
    readonly title?: string
    /** Values for the page or the app. Its texts may contain Liquid. */
    readonly extra?: { readonly [name: string]: unknown }
    /** The address that a click opens. */
    readonly custom_uri?: string
    /** A picture beside the text. */
    readonly image_url?: string
    /** Seconds for which the push service keeps it for a device that is away. */
    readonly time_to_live?: number
    /** Only the device that was used last gets it. */
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    /** A large picture below the text. */
    readonly large_image_url?: string
    /** It is shown until the person closes it. */
    readonly require_interaction?: boolean
  }
  /** Texts may contain Liquid. */
  readonly apple_push?: {
    readonly alert: string | {
      /** Absent: the text alone is shown. */
      readonly title?: string
      /** The text. */
      readonly body: string
    }
    /** Absent: the text alone is shown. */
    readonly title?: string
    /** Values for the page or the app. Its texts may contain Liquid. */
    readonly extra?: { readonly [name: string]: unknown }
    /** The address that a click opens. */
    readonly custom_uri?: string
    /** A picture beside the text. */
    readonly image_url?: string
    /** Seconds for which the push service keeps it for a device that is away. */
    readonly time_to_live?: number
    /** Only the device that was used last gets it. */
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    /** The sound that the device plays. */
    readonly sound?: string
    /** The number on the icon of the app. */
    readonly badge?: number
    readonly category?: string
    /** A later push with the same text replaces this one. */
    readonly collapse_id?: string
    /** Pushes with the same text are grouped. */
    readonly notification_group_thread_id?: string
  }
  /** Texts may contain Liquid. */
  readonly android_push?: {
    /** The text. */
    readonly alert: string
    /** Absent: the text alone is shown. */
    readonly title?: string
    /** Values for the page or the app. Its texts may contain Liquid. */
    readonly extra?: { readonly [name: string]: unknown }
    /** The address that a click opens. */
    readonly custom_uri?: string
    /** A picture beside the text. */
    readonly image_url?: string
    /** Seconds for which the push service keeps it for a device that is away. */
    readonly time_to_live?: number
    /** Only the device that was used last gets it. */
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    /** The sound that the device plays. */
    readonly sound?: string
    /** A later push with the same text replaces this one. */
    readonly collapse_key?: string
    /** A notification channel of the app. */
    readonly notification_channel_id?: string
    readonly android_priority?: 'normal' | 'high'
  }
  /** A request to another server for each person. */
  readonly webhook?: {
    /** Of http or https. May contain Liquid. */
    readonly url: string
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    /** Texts may contain Liquid. A text that looks like a secret is refused: name a credential instead. */
    readonly headers?: { readonly [name: string]: string | {
      /** The name of a credential for the origin of the URL. */
      readonly credential: string
      /** Absent: `basic` for `Authorization`, else `plain`. */
      readonly scheme?: 'basic' | 'bearer' | 'plain'
    } }
    /** A text, or JSON whose texts are rendered one by one. May contain Liquid. */
    readonly body?: unknown
    readonly message_variation_id?: string
  }
}

export type NewCatalogField = {
  /** letters, digits, hyphens and underscores */
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
}

export type NotCondition = { readonly NOT: Condition }

export type Notice = {
  /** Position of the object in its array, from 0 */
  readonly index?: number
  /** The array of the request that has the object */
  readonly input_array?: string
  /** What was not kept as sent, such as `properties.size` */
  readonly member: string
  /** Why, as the rest of a sentence that begins with the member */
  readonly reason: string
}

export type OpenFlow = {
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly step: string | null
  readonly visit: number
  /** null: the person has not entered. */
  readonly entry_id: string | null
}

export type OpenedTrigger = { readonly opened: 'email' }

export type Options = {
  readonly 'meta-viewport-content'?: string
  readonly 'link-tags'?: readonly ({
    readonly rel: 'icon' | 'shortcut icon' | 'apple-touch-icon'
    /** An https URL. */
    readonly href: string
    readonly type?: string
    readonly sizes?: string
  })[]
}

export type OrCondition = { readonly OR: readonly Condition[] }

export type PathsStep = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** One line */
  readonly name?: string
  readonly type: 'paths'
  readonly paths: readonly ConditionPath[]
  /** The id of the next step; absent: the canvas ends there */
  readonly otherwise?: string
}

export type PostCanvasTriggerScheduleUpdateReply = {
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostCatalogsCatalogNameItemsBody = { readonly items: readonly CatalogItem[] }

export type PostCatalogsCatalogNameItemsItemIdBody = {
  readonly items: readonly { readonly [name: string]: unknown }[]
}

/** With asset_url or asset_file. */
export type PostMediaLibraryCreateBody = {
  /** A URL of the file, of at most 5242880 bytes. */
  readonly asset_url?: string
  /** The file in base64. */
  readonly asset_file?: string
  /** The name in the URL when absent. */
  readonly name?: string
}

export type PostMessagesScheduleCreateReply = {
  /** The id of this order. */
  readonly dispatch_id: string
  readonly schedule_id: string
  /** As the request gave it. */
  readonly send_id?: string
  /** Says what was accepted but has no effect. */
  readonly notice?: string
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostMessagesSendReply = {
  /** The id of this order. */
  readonly dispatch_id: string
  /** As the request gave it. */
  readonly send_id?: string
  /** Says what was accepted but has no effect. */
  readonly notice?: string
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostUsersAliasUpdateReply = {
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostUsersExportSegmentReply = {
  /** Identifies this export */
  readonly object_prefix: string
  /** Downloads the export when it is written, until it expires */
  readonly url: string
  readonly message: string
}

/** At least one object in one of the arrays */
export type PostUsersTrackBody = {
  readonly attributes?: readonly Attribute[]
  readonly events?: readonly Event[]
  readonly purchases?: readonly Purchase[]
}

export type PostUsersTrackReply = {
  /** Accepted objects; present when the array was sent and not empty */
  readonly attributes_processed?: number
  /** Accepted objects; present when the array was sent and not empty */
  readonly events_processed?: number
  /** Accepted objects; present when the array was sent and not empty */
  readonly purchases_processed?: number
  /** Refused objects; absent when there are none */
  readonly errors?: readonly ({
    /** Position of the refused object in its array, from 0 */
    readonly index: number
    readonly input_array: 'attributes' | 'events' | 'purchases'
    /** Why it was refused */
    readonly type: string
  })[]
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  /** `success`, or what was wrong with the request */
  readonly message: string
}

export type Property = {
  readonly name: string
  readonly comparison: 
      | 'equals'
      | 'not_equal'
      | 'does_not_equal'
      | 'matches_regex'
      | 'does_not_match_regex'
      | 'greater_than'
      | 'greater_than_or_equal_to'
      | 'less_than'
      | 'less_than_or_equal_to'
      | 'exists'
      | 'does_not_exist'
  /** Omit it with `exists` and `does_not_exist`. Its type decides which comparison is made. */
  readonly value?: string | number | boolean
}

export type PropertyTest = {
  readonly comparison: 
      | 'equals'
      | 'not_equal'
      | 'greater_than'
      | 'greater_than_or_equal_to'
      | 'less_than'
      | 'less_than_or_equal_to'
      | 'exists'
      | 'does_not_exist'
  readonly value?: string | number | boolean
}

export type Purchase = {
  /** At most 987 bytes */
  readonly external_id?: string | number
  readonly user_alias?: UserAlias
  /** 24 hexadecimal digits, assigned by the service */
  readonly service_id?: string
  /** Identifies the person if none of the three above is given */
  readonly email?: string
  /** E.164; identifies the person if nothing above is given */
  readonly phone?: string
  /** true: no person is created. false: an alias creates an alias-only profile */
  readonly _update_existing_only?: boolean
  readonly app_id?: string
  /** ISO 8601; a time in the future counts as now */
  readonly time: string
  readonly properties?: { readonly [name: string]: unknown }
  readonly product_id: string | number
  /** ISO 4217 */
  readonly currency: string
  /** In the base unit; negative for a refund */
  readonly price: number
  readonly quantity?: number
}

export type PurchaseCondition = {
  readonly purchase: {
    readonly product_id?: string
    /** The last days; ever when absent */
    readonly days?: number
    /** The same event or purchase must pass all of them. */
    readonly properties?: readonly Property[]
    readonly comparison: 
        | 'equals'
        | 'not_equal'
        | 'does_not_equal'
        | 'greater_than'
        | 'greater_than_or_equal_to'
        | 'less_than'
        | 'less_than_or_equal_to'
        | 'exists'
        | 'does_not_exist'
    /** Times */
    readonly value?: number
  }
}

export type PurchaseTrigger = {
  /** The id of a product, or any */
  readonly purchase: string
  /** What the properties of the event or purchase must be: a value, or a comparison */
  readonly properties?: { readonly [name: string]: string | number | boolean | PropertyTest }
  /** Properties that must have the values of the event that began the entry */
  readonly same?: readonly string[]
}

export type PushSubscriptionStatus = {
  readonly comparison: 'is' | 'is_not'
  readonly value: 'opted_in' | 'subscribed' | 'unsubscribed'
}

export type PushSubscriptionStatusCondition = { readonly push_subscription_status: PushSubscriptionStatus }

export type RandomBucketCondition = { readonly random_bucket: TotalRevenue }

export type RateLimit = {
  /** a whole number from 1 to 1000000000 */
  readonly burst_per_second?: number
  /** a whole number from 1 to 1000000000 */
  readonly per_minute?: number
  /** a whole number from 1 to 1000000000 */
  readonly per_hour?: number
  /** a whole number from 1 to 1000000000 */
  readonly per_day?: number
}

/** The first of `external_user_id`, `user_alias`, `service_id` and `email` counts. */
export type Recipient = {
  readonly external_user_id?: string | number
  readonly user_alias?: UserAliasInput
  /** The member is named after the service. */
  readonly service_id?: string
  readonly email?: string
  /** Chooses among several people with the address. */
  readonly prioritization?: readonly string[]
  /** Properties of this person. At most 51200 bytes and 50 levels. */
  readonly trigger_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly canvas_entry_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly context?: { readonly [name: string]: unknown }
  /** `false`: an unknown person is created with `attributes`. */
  readonly send_to_existing_only?: boolean
  /** Are written before anything is sent. */
  readonly attributes?: { readonly [name: string]: unknown }
}

export type RenameError = {
  /** Why the item was refused */
  readonly type: string
  readonly input_array: 'external_id_renames' | 'external_ids'
  /** Index in that array, from 0 */
  readonly index: number
}

/** an object with name and permissions */
export type RoleInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** a list of at most 1000 different workspace permissions such as [basic_access, edit_segments] */
  readonly permissions: readonly string[]
}

export type ScheduleInput = {
  /** ISO 8601. UTC when it has no offset. */
  readonly time: string
  /** The order is due for each person at this local time in their time zone. */
  readonly in_local_time?: boolean | 'true' | 'false'
  /** The order is due for each person on the date of `time`, at their optimal hour. */
  readonly at_optimal_time?: boolean | 'true' | 'false'
}

export type ScheduledBroadcastsReply = {
  readonly scheduled_broadcasts: readonly ({
    readonly name: string
    readonly id: string
    readonly type: 'Canvas' | 'Campaign'
    readonly tags: readonly string[]
    /** ISO 8601. Without an offset where it is the local time of each person. */
    readonly next_send_time: string
    /** `local_time_zones`, or the time zone of the schedule. */
    readonly schedule_type: string
  })[]
  readonly message: 'success'
}

export type ScimAddress = {
  readonly value: string
  readonly type?: string
  readonly primary?: boolean
  readonly display?: string
}

export type ScimAppGroup = {
  /** The name; the id may be given instead. */
  readonly appGroupName?: string
  readonly appGroupId?: string
  readonly appGroupPermissions?: readonly string[]
  readonly appGroupPermissionSets?: readonly {
    /** The name; the id may be given instead. */
    readonly appGroupPermissionSetName?: string
    readonly appGroupPermissionSetId?: string
    readonly permissions?: readonly string[]
  }[]
  readonly team?: readonly {
    /** The name; the id may be given instead. */
    readonly teamName?: string
    readonly teamId?: string
    readonly teamPermissions: readonly string[]
  }[]
}

export type ScimError = {
  readonly schemas: readonly 'urn:ietf:params:scim:api:messages:2.0:Error'[]
  /** What is wrong, for a person to read. */
  readonly detail: string
  /** Text when `settings.scim.status` is `string`. */
  readonly status: number | string
  /** What is wrong, for a program to read: RFC 7644, table 9. */
  readonly scimType?: string
}

export type ScimGroup = {
  readonly schemas: readonly string[]
  readonly displayName: string
  readonly externalId?: string
  readonly members?: readonly {
    readonly value: string
    readonly display: string
    readonly type: string
  }[]
  readonly id: string
  readonly meta: { readonly resourceType: string; readonly location: string }
}

export type ScimGroupInput = {
  readonly schemas: readonly string[]
  readonly displayName: string
  readonly externalId?: string
  readonly members?: readonly {
    /** The id of a user. */
    readonly value: string
  }[]
}

export type ScimGroups = {
  readonly schemas: readonly string[]
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  readonly Resources: readonly ScimGroup[]
}

export type ScimList = {
  readonly schemas: readonly string[]
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  readonly Resources: readonly { readonly [name: string]: unknown }[]
}

export type ScimName = { readonly givenName: string; readonly familyName: string }

export type ScimPatch = {
  readonly schemas: readonly string[]
  readonly Operations: readonly ({
    readonly op: 'add' | 'replace' | 'remove'
    readonly path?: string
    readonly value?: unknown
  })[]
}

export type ScimPermissions = {
  readonly companyPermissions?: readonly string[]
  readonly roles?: readonly {
    /** The name; the id may be given instead. */
    readonly roleName?: string
    readonly roleId?: string
    readonly appGroup?: readonly ScimAppGroup[]
  }[]
  readonly appGroup?: readonly ScimAppGroup[]
}

export type ScimRole = {
  readonly value: string
  readonly display?: string
  readonly primary?: boolean
}

export type ScimSearch = {
  readonly schemas: readonly string[]
  /** RFC 7644, section 3.4.2.2: `userName eq "ada@example.com"`. */
  readonly filter?: string
  /** Counted from 1. */
  readonly startIndex?: number
  /** 100 when absent, at most 200. */
  readonly count?: number
  readonly sortBy?: string
  readonly sortOrder?: 'ascending' | 'descending'
  readonly attributes?: readonly string[]
  readonly excludedAttributes?: readonly string[]
}

export type ScimUser = {
  readonly schemas: readonly string[]
  readonly id: string
  readonly userName: string
  readonly name: ScimName
  /** One of `settings.departments`. */
  readonly department?: string
  readonly lastSignInAt: string | null
  readonly createdAt: string
  readonly permissions: ScimPermissions
  readonly externalId?: string
  readonly displayName?: string
  readonly locale?: string
  readonly title?: string
  readonly userType?: string
  /** Whether the person may sign in. */
  readonly active?: boolean
  readonly emails?: readonly ScimAddress[]
  readonly ims?: readonly ScimAddress[]
  /** The roles of `permissions.roles`, each by its name or its id, or by JSON text with one of them. */
  readonly roles?: readonly ScimRole[]
  readonly meta: {
    readonly resourceType: string
    readonly created: string
    readonly lastModified: string
    readonly location: string
    readonly version: string
  }
}

export type ScimUsers = {
  readonly schemas: readonly string[]
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  readonly Resources: readonly ScimUser[]
}

/** Stands for a secret text. Sent back, the stored text is kept */
export type SealedHeader = { readonly sealed: true }

export type SegmentCondition = {
  readonly segment: {
    readonly segment_id: string
    readonly comparison?: 'is' | 'is_not'
  }
}

export type SegmentInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** at most 1000 characters */
  readonly description?: string
  readonly audience: Condition
  /** a list of at most 50 different tags */
  readonly tags?: readonly string[]
  /** true or false */
  readonly analytics_tracking_enabled?: boolean
}

export type Selection = {
  /** Name of the selection */
  readonly name: string
  readonly description?: string
  /** A selected item matches all of them */
  readonly filters: readonly Filter[]
  readonly results_limit?: number
  readonly sort_field: string | null
  readonly sort_order: 'asc' | 'desc' | null
}

export type SelectionBody = {
  readonly selection: {
    /** Name of the selection */
    readonly name: string
    readonly description?: string
    /** A selected item matches all of them */
    readonly filters: readonly Filter[]
    readonly results_limit?: number
    readonly sort_field?: string
    readonly sort_order?: 'asc' | 'desc'
  }
}

export type ServiceState = { readonly message: string }

export type SessionCountCondition = {
  readonly session_count: {
    /** People without sessions do not match */
    readonly only_with_sessions?: boolean
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to'
    readonly value: number
  }
}

/** an object of settings */
export type Settings = {
  /** a time zone such as Europe/Paris */
  readonly time_zone?: string
  /** a list of at most 1000 external_ids */
  readonly reserved_external_ids?: readonly string[]
  /** true or false */
  readonly reserved_ids_partial?: boolean
  /** a list of at most 300 names of custom attributes */
  readonly attribute_blocklist?: readonly string[]
  /** true or false */
  readonly strict?: boolean
  /** true or false */
  readonly local_email_domains?: boolean
  /** drop_key, refuse_attribute or store */
  readonly nested_nulls?: 'drop_key' | 'refuse_attribute' | 'store'
  /** an object with a limit per group of endpoints */
  readonly rate_limits?: {
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly track?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly track_sync?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly export_ids?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly subscription_user_status?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly canvas_schedule?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly catalogs?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly catalog_fields?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly catalog_items?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly catalog_items_bulk?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly sending?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly transactional?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly preference_centers?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly cohorts?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly duplicates?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly sdk_data?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly sdk_data_address?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly scim?: 'unlimited' | RateLimit
    /** unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day */
    readonly webhooks?: 'unlimited' | RateLimit
  }
  /** a length of time from 90 days to 100 years, such as P90D, P6M or P2Y */
  readonly event_retention?: string
  /** true or false */
  readonly export_all_fields?: boolean
  /** a whole number from 1 to 32764 */
  readonly regex_characters_max?: number
  /** a name of 1 to 255 characters in one line */
  readonly from_name?: string
  /** an e-mail address */
  readonly reply_to?: string
  /** a list of e-mail addresses */
  readonly bcc?: readonly string[]
  /** true or false */
  readonly should_inline_css?: boolean
  /** a list of names, at least one */
  readonly departments?: readonly string[]
  /** text of 1 to 255 characters */
  readonly default_department?: string
  /** a length of time from 1 days to 100 years, such as P90D, P6M or P2Y */
  readonly ledger_retention?: string
  /** true or false */
  readonly feed?: boolean
  /** a length of time from 1 days to 100 years, such as P90D, P6M or P2Y */
  readonly feed_retention?: string
  /** a header name that begins with X-, of letters, digits and dashes */
  readonly extras_header?: string
  /** a whole number from 1 to 100 */
  readonly attachments_max?: number
  /** a number of bytes from 1 to 41943040 */
  readonly attachments_bytes_max?: number
  /** true or false */
  readonly track_opens?: boolean
  /** true or false */
  readonly track_clicks?: boolean
  /** true or false */
  readonly api_log?: boolean
  /** an object with per_second or domains */
  readonly email_rates?: {
    /** a number of mails a second from 0.01 to 100000 */
    readonly per_second?: number
    /** an object of at most 1000 domains in lower case such as gmail.com, each with mails a second */
    readonly domains?: { readonly [name: string]: number }
  }
  /** an object with from, from_by_group, per_second, stop_reply, start_reply or help_reply */
  readonly sms?: {
    /** a phone number such as +15551234567, a short code, a name of at most 11 letters and digits, or the id of a messaging service */
    readonly from?: string
    /** an object of at most 100 ids of subscription groups, each with a sender */
    readonly from_by_group?: { readonly [name: string]: string }
    /** a number of text messages a second from 0.01 to 10000 */
    readonly per_second?: number
    /** a text of at most 320 characters */
    readonly stop_reply?: string
    /** a text of at most 320 characters */
    readonly start_reply?: string
    /** a text of at most 320 characters */
    readonly help_reply?: string
  }
  /** server or inbox */
  readonly mail_delivery?: 'server' | 'inbox'
  /** an object with start and end, two different times of day */
  readonly quiet_hours?: {
    /** a time of day such as 21:30 */
    readonly start: string
    /** a time of day such as 21:30 */
    readonly end: string
  }
  /** a length of time from 1 minute to 30 days without months and years, such as PT6H */
  readonly local_time_delay_max?: string
  /** a list of at most 10 caps */
  readonly frequency_cap?: readonly ({
    /** a whole number from 1 to 1000 */
    readonly count: number
    /** a length of time of at most 90 days without months and years, such as P1D */
    readonly per: string
    /** email or sms */
    readonly channel?: 'email' | 'sms'
  })[]
  /** an object with ranges */
  readonly global_control_group?: {
    /** a list of at most 100 ranges */
    readonly ranges: readonly {
      /** a whole number from 0 to 9999 */
      readonly from: number
      /** a whole number from 0 to 9999 */
      readonly to: number
    }[]
  }
  /** an object with amazon_ses, sendgrid or mailgun */
  readonly webhooks?: {
    /** an object with topic_arn */
    readonly amazon_ses?: {
      /** the ARN of an SNS topic such as arn:aws:sns:eu-west-1:123456789012:bounces */
      readonly topic_arn: string
    }
    /** an object with public_key */
    readonly sendgrid?: {
      /** the public key of the signed event webhook, in base64 as the provider shows it */
      readonly public_key: string
    }
    /** an object with credential, the name of a credential whose password is the signing key */
    readonly mailgun?: {
      /** text of 1 to 255 characters */
      readonly credential: string
    }
  }
  /** an http or https URL without credentials, of at most 2048 characters */
  readonly transactional_status_url?: string
  /** an object with status, unknown_permissions, unknown_departments or default_role */
  readonly scim?: {
    /** number or string */
    readonly status?: 'number' | 'string'
    /** refuse or keep */
    readonly unknown_permissions?: 'refuse' | 'keep'
    /** keep, default or refuse */
    readonly unknown_departments?: 'keep' | 'default' | 'refuse'
    /** text of 1 to 255 characters */
    readonly default_role?: string
  }
}

/** an object with name and subscription_group_id */
export type SignUpFormInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** the id of a subscription group */
  readonly subscription_group_id: string
  /** active or paused */
  readonly state?: 'active' | 'paused'
  /** a language tag, such as en or pt-BR */
  readonly language?: string
  readonly texts?: Texts
  /** the https URL of a page that is shown after the form */
  readonly redirect_url?: string
  /** a list of at most 20 different origins */
  readonly embed_origins?: readonly string[]
  /** a number of seconds from 0 to 60 */
  readonly min_seconds?: number
  /** a number from 1 to 100000 */
  readonly hourly_max?: number
  /** true or false */
  readonly direct_posts?: boolean
}

export type StandardAttributeCondition = {
  readonly standard_attribute: {
    readonly name: 
        | 'external_id'
        | 'email'
        | 'phone'
        | 'first_name'
        | 'last_name'
        | 'gender'
        | 'dob'
        | 'country'
        | 'home_city'
        | 'language'
        | 'time_zone'
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'exists' | 'does_not_exist'
    readonly value?: string
  } | {
    readonly name: 'created_at' | 'marked_email_as_spam_at' | 'date_of_first_session' | 'date_of_last_session'
    readonly comparison: 
        | 'less_than_x_days_ago'
        | 'greater_than_x_days_ago'
        | 'less_than_x_days_in_the_future'
        | 'greater_than_x_days_in_the_future'
        | 'after'
        | 'before'
        | 'exists'
        | 'does_not_exist'
    readonly value?: number | string
  }
}

export type StepMessages = {
  readonly channel: string
  readonly name: string
  readonly subject?: string
  readonly body?: string
  readonly from?: string
  readonly reply_to?: string | null
  readonly preheader?: string
  readonly email_template_id?: string
}

export type StepStats = {
  readonly name: string
  /** The sum of price times quantity of purchases within the time for conversions, whatever the currency */
  readonly revenue: number
  /** First conversions on the day, each once after an entry or a message */
  readonly conversions: number
  readonly conversions1?: number
  readonly conversions2?: number
  readonly conversions3?: number
  /** The same by the day of the entry */
  readonly conversions_by_entry_time: number
  readonly conversions1_by_entry_time?: number
  readonly conversions2_by_entry_time?: number
  readonly conversions3_by_entry_time?: number
  readonly messages: {
    readonly email: readonly {
      /** Messages that mail servers accepted on the day */
      readonly sent: number
      /** Those of them that have not bounced */
      readonly delivered: number
      readonly opens: number
      /** First opens of a message */
      readonly unique_opens: number
      readonly clicks: number
      /** First clicks in a message */
      readonly unique_clicks: number
      readonly unsubscribes: number
      readonly bounces: number
      readonly reported_spam: number
    }[]
  }
}

export type StoredSegment = {
  /** The id or the name of a segment */
  readonly segment_id: string
}

export type SubscriptionGroupCondition = {
  readonly subscription_group: {
    readonly subscription_group_id: string
    readonly comparison: 'is' | 'is_not'
    readonly value: 'subscribed' | 'unsubscribed'
  }
}

/** an object with name and channel */
export type SubscriptionGroupInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** email or sms */
  readonly channel: 'email' | 'sms'
  /** true or false */
  readonly archived?: boolean
  readonly double_opt_in?: DoubleOptIn
}

/** an object with name */
export type TeamInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
}

/** an object with the texts that differ from the built-in ones */
export type Texts = {
  /** the heading, 1 to 1000 characters */
  readonly title?: string
  /** what stands above the field, 1 to 1000 characters */
  readonly intro?: string
  /** the name of the field, 1 to 1000 characters */
  readonly label?: string
  /** the button, 1 to 1000 characters */
  readonly button?: string
  /** a box that must be ticked; none when absent, 1 to 1000 characters */
  readonly consent?: string
  /** the heading after the form was sent, 1 to 1000 characters */
  readonly done_title?: string
  /** what stands below that heading, 1 to 1000 characters */
  readonly done_text?: string
  /** the heading while the form is paused, 1 to 1000 characters */
  readonly paused_title?: string
  /** what stands below that heading, 1 to 1000 characters */
  readonly paused_text?: string
}

export type TotalRevenue = {
  readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to'
  readonly value: number
}

export type TotalRevenueCondition = { readonly total_revenue: TotalRevenue }

export type TotalStats = {
  /** The sum of price times quantity of purchases within the time for conversions, whatever the currency */
  readonly revenue: number
  /** First conversions on the day, each once after an entry or a message */
  readonly conversions: number
  readonly conversions1?: number
  readonly conversions2?: number
  readonly conversions3?: number
  /** The same by the day of the entry */
  readonly conversions_by_entry_time: number
  readonly conversions1_by_entry_time?: number
  readonly conversions2_by_entry_time?: number
  readonly conversions3_by_entry_time?: number
  /** Without the control group */
  readonly entries: number
}

export type TrackError = {
  /** What is wrong, for a person to read. */
  readonly message: string
  /** Only when the body is not JSON. */
  readonly error?: string
  /** Present when the content of the request is refused: one entry for each refused object. Empty when no object is the cause. */
  readonly errors?: readonly ({
    /** What is wrong with the object. */
    readonly type: string
    readonly input_array: 'attributes' | 'events' | 'purchases'
    /** The position in that array. */
    readonly index: number
  })[]
}

export type UpdateUserStep = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** One line */
  readonly name?: string
  readonly type: 'update_user'
  /** As in /users/track, without identifiers and addresses */
  readonly attributes: { readonly [name: string]: unknown }
  /** The id of the next step; absent: the canvas ends there */
  readonly next?: string
}

/** The requested fields; one that is null, false or empty is absent */
export type User = {
  readonly created_at?: string
  readonly external_id?: string
  readonly user_aliases?: readonly UserAlias[]
  readonly service_id?: string
  readonly first_name?: string
  readonly last_name?: string
  readonly random_bucket?: number
  readonly email?: string
  readonly phone?: string
  readonly dob?: string
  readonly gender?: string
  readonly country?: string
  readonly home_city?: string
  readonly language?: string
  readonly time_zone?: string
  /** [longitude, latitude] */
  readonly last_coordinates?: readonly number[]
  readonly custom_attributes?: { readonly [name: string]: unknown }
  /** Of the last 90 days */
  readonly custom_events?: readonly CustomEvent[]
  /** Of the last 90 days; the name is the product_id */
  readonly purchases?: readonly CustomEvent[]
  readonly total_revenue?: number
  readonly push_subscribe?: 'opted_in' | 'subscribed' | 'unsubscribed'
  readonly push_opted_in_at?: string
  readonly push_unsubscribed_at?: string
  readonly email_subscribe?: 'opted_in' | 'subscribed' | 'unsubscribed'
  readonly email_opted_in_at?: string
  readonly email_unsubscribed_at?: string
  readonly push_tokens?: readonly {
    readonly app: string
    readonly platform: string
    readonly token: string
    readonly device_id: string
    readonly notifications_enabled: boolean
  }[]
  readonly apps?: readonly {
    readonly name: string
    readonly platform?: string
    readonly version?: string
    readonly sessions: number
    readonly first_used?: string
    readonly last_used?: string
  }[]
  readonly devices?: readonly {
    readonly device_id: string
    readonly model?: string
    readonly os?: string
    readonly carrier?: string
    readonly idfv?: string
    readonly idfa?: string
    readonly google_ad_id?: string
    readonly roku_ad_id?: string
    readonly ad_tracking_enabled?: boolean
  }[]
  readonly attributed_campaign?: string
  readonly attributed_source?: string
  readonly attributed_adgroup?: string
  readonly attributed_ad?: string
  readonly campaigns_received?: readonly {
    readonly name: string
    readonly api_campaign_id: string
    readonly last_received?: string
    /** Members that are true */
    readonly engaged?: {
      readonly opened_email: boolean
      readonly clicked_email: boolean
    }
    readonly converted?: boolean
    readonly multiple_converted?: { readonly [name: string]: boolean }
    readonly variation_name?: string
    readonly variation_api_id?: string
    /** Of campaigns with variations */
    readonly in_control?: boolean
  }[]
  readonly canvases_received?: readonly ({
    readonly name: string
    readonly api_canvas_id: string
    readonly last_received_message?: string
    readonly last_entered?: string
    readonly last_entered_control_at: string | null
    readonly variation_name?: string
    readonly in_control: boolean
    readonly last_exited?: string
    readonly steps_received?: readonly {
      readonly name: string
      readonly api_canvas_step_id: string
      readonly last_received: string
    }[]
  })[]
  readonly cards_clicked?: readonly CardsClicked[]
  /** When an app was last uninstalled */
  readonly uninstalled_at?: string
  readonly [name: string]: unknown
}

/** A name that is unique under its label */
export type UserAlias = { readonly alias_name: string; readonly alias_label: string }

export type UserAliasInput = { readonly alias_name: string; readonly alias_label: string }

export type VariantStats = {
  readonly name: string
  /** The sum of price times quantity of purchases within the time for conversions, whatever the currency */
  readonly revenue: number
  /** First conversions on the day, each once after an entry or a message */
  readonly conversions: number
  readonly conversions1?: number
  readonly conversions2?: number
  readonly conversions3?: number
  /** The same by the day of the entry */
  readonly conversions_by_entry_time: number
  readonly conversions1_by_entry_time?: number
  readonly conversions2_by_entry_time?: number
  readonly conversions3_by_entry_time?: number
  /** Without the control group */
  readonly entries: number
}

/** an object with name and url */
export type WebhookInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** an http or https URL without credentials, of at most 2048 characters */
  readonly url: string
  /** a list of different types of events such as [message.sent, message.bounced]; empty for all */
  readonly event_types?: readonly (
      | 'message.sent'
      | 'message.suppressed'
      | 'message.missed'
      | 'message.cancelled'
      | 'message.aborted'
      | 'message.failed'
      | 'message.uncertain'
      | 'message.delivered'
      | 'message.bounced'
      | 'message.complained'
      | 'message.opened'
      | 'message.clicked'
      | 'message.unsubscribed'
      | 'subscription.changed'
      | 'person.created'
      | 'person.merged'
      | 'person.deleted')[]
  /** active or paused */
  readonly state?: 'active' | 'paused'
  /** whsec_ and 24 to 64 bytes in base64 */
  readonly secret?: string
}

export type WebhookStep = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  /** One line */
  readonly name?: string
  readonly type: 'webhook'
  /** May contain Liquid */
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: { readonly [name: string]: string | CredentialHeader | SealedHeader }
  /** A text, or JSON whose texts are rendered one by one */
  readonly body?: unknown
  /** The id of the next step; absent: the canvas ends there */
  readonly next?: string
}

export type Workspace = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id: string
  readonly name: string
}

/** an object with id, name or both */
export type WorkspaceInput = {
  /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
  readonly id?: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name?: string
}

/** At most one of device_id, email_address and phone */
export type PostUsersExportIdsBody = {
  readonly external_ids?: readonly (string | number)[]
  readonly user_aliases?: readonly UserAlias[]
  readonly device_id?: string
  readonly service_id?: string
  readonly email_address?: string
  /** E.164 */
  readonly phone?: string
  readonly fields_to_export: readonly (
      | 'apps'
      | 'attributed_ad'
      | 'attributed_adgroup'
      | 'attributed_campaign'
      | 'attributed_source'
      | 'campaigns_received'
      | 'canvases_received'
      | 'cards_clicked'
      | 'country'
      | 'created_at'
      | 'custom_attributes'
      | 'custom_events'
      | 'devices'
      | 'dob'
      | 'email'
      | 'email_opted_in_at'
      | 'email_subscribe'
      | 'email_unsubscribed_at'
      | 'external_id'
      | 'first_name'
      | 'gender'
      | 'home_city'
      | 'language'
      | 'last_coordinates'
      | 'last_name'
      | 'phone'
      | 'purchases'
      | 'push_opted_in_at'
      | 'push_subscribe'
      | 'push_tokens'
      | 'push_unsubscribed_at'
      | 'random_bucket'
      | 'time_zone'
      | 'total_revenue'
      | 'uninstalled_at'
      | 'user_aliases'
      | 'service_id')[]
}

export type PostUsersExportIdsReply = {
  readonly users: readonly User[]
  /** Identifiers that match no person */
  readonly invalid_user_ids?: readonly string[]
  /** `success`, or what was wrong with the request */
  readonly message: string
}

/** Exactly one object in one of the arrays */
export type PostUsersTrackSyncBody = {
  readonly attributes?: readonly Attribute[]
  readonly events?: readonly Event[]
  readonly purchases?: readonly Purchase[]
}

export type PostUsersTrackSyncReply = {
  /** Empty when the object is about nobody */
  readonly users: readonly {
    readonly external_id?: string
    readonly user_alias?: UserAlias
    readonly service_id?: string
    readonly email?: string
    readonly phone?: string
    /** The custom attributes that the object names; one that was removed is absent */
    readonly custom_attributes?: { readonly [name: string]: unknown }
    /** The event that the object names, of the last 90 days */
    readonly custom_events?: readonly CustomEvent[]
    /** The product that the object names, of the last 90 days */
    readonly purchase_events?: readonly CustomEvent[]
  }[]
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostUsersAliasNewBody = {
  readonly user_aliases: readonly ({
    /** The person who gets the alias. Without it the alias creates a person, unless it is taken */
    readonly external_id?: string | number | null
    readonly alias_name?: string
    readonly alias_label?: string
    /** Instead of the two members above */
    readonly user_alias?: {
      readonly alias_name: string
      readonly alias_label: string
    }
  })[]
}

export type PostUsersAliasNewReply = {
  /** Items of the request, including those without effect */
  readonly aliases_processed: number
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostUsersAliasUpdateBody = {
  readonly alias_updates: readonly {
    readonly alias_label: string
    readonly old_alias_name: string
    readonly new_alias_name: string
  }[]
}

export type PostUsersExternalIdsRenameBody = {
  readonly external_id_renames: readonly ({
    readonly current_external_id: string | number
    readonly new_external_id: string | number
  })[]
}

export type PostUsersExternalIdsRenameReply = {
  readonly rename_errors: readonly RenameError[]
  /** External ids that were renamed */
  readonly external_ids: readonly {
    readonly current_external_id: string
    readonly new_external_id: string
  }[]
  readonly message: 'success'
}

export type PostUsersExternalIdsRemoveBody = {
  /** Former external ids of renamed users */
  readonly external_ids: readonly (string | number)[]
}

export type PostUsersExternalIdsRemoveReply = {
  readonly removed_ids: readonly string[]
  readonly removal_errors: readonly RenameError[]
  readonly message: 'success'
}

export type PostUsersMergeBody = {
  readonly merge_updates: readonly {
    readonly identifier_to_merge: IdentifierToMerge
    readonly identifier_to_keep: IdentifierToMerge
  }[]
}

/** Accepted; `GET /admin/work` lists the outcome */
export type PostUsersMergeReply = {
  /** `success`, or what was wrong with the request */
  readonly message: string
}

/** One of the lists */
export type PostUsersDeleteBody = {
  readonly external_ids?: readonly (string | number)[]
  readonly user_aliases?: readonly UserAliasInput[]
  readonly service_ids?: readonly string[]
  readonly email_addresses?: readonly ({
    readonly email: string
    /** Each priority filters the people that remain after the one before it. When several people remain, nothing happens */
    readonly prioritization: readonly ('identified' | 'unidentified' | 'most_recently_updated' | 'least_recently_updated')[]
  })[]
  readonly phone_numbers?: readonly ({
    /** E.164 */
    readonly phone: string
    /** Each priority filters the people that remain after the one before it. When several people remain, nothing happens */
    readonly prioritization: readonly ('identified' | 'unidentified' | 'most_recently_updated' | 'least_recently_updated')[]
  })[]
}

export type PostUsersDeleteReply = {
  /** Identifiers in the request, including unknown ones */
  readonly deleted: number
  /** `success`, or what was wrong with the request */
  readonly message: string
}

/** At least one non-empty list, with at most 50 items together */
export type PostUsersIdentifyBody = {
  readonly aliases_to_identify?: readonly ({
    readonly external_id: string | number
    readonly user_alias: UserAliasInput
  })[]
  readonly emails_to_identify?: readonly ({
    readonly external_id: string | number
    readonly email: string
    /** Each priority filters the people that remain after the one before it. When several people remain, nothing happens */
    readonly prioritization: readonly ('identified' | 'unidentified' | 'most_recently_updated' | 'least_recently_updated')[]
  })[]
  readonly phone_numbers_to_identify?: readonly ({
    readonly external_id: string | number
    /** E.164 */
    readonly phone: string
    /** Each priority filters the people that remain after the one before it. When several people remain, nothing happens */
    readonly prioritization: readonly ('identified' | 'unidentified' | 'most_recently_updated' | 'least_recently_updated')[]
  })[]
  /** none: only the alias moves to the person who has the external_id */
  readonly merge_behavior?: 'merge' | 'none'
}

export type PostUsersIdentifyReply = {
  /** Items in the list; absent when the list was empty */
  readonly aliases_processed?: number
  /** Items in the list; absent when the list was empty */
  readonly emails_processed?: number
  /** Items in the list; absent when the list was empty */
  readonly phone_numbers_processed?: number
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  /** `success`, or what was wrong with the request */
  readonly message: string
}

export type PostMessagesSendBody = {
  /** At most 50 together with `user_aliases`. */
  readonly external_user_ids?: readonly (string | number)[]
  readonly user_aliases?: readonly UserAliasInput[]
  /** The order is only for people in this segment. */
  readonly segment_id?: string
  /** A tree of conditions. The order is only for people who match it. */
  readonly audience?: { readonly [name: string]: unknown }
  /** Whether the order is for all people in the segment and the audience. Must be true when no recipients are named, and false otherwise. */
  readonly broadcast?: boolean | 'true' | 'false'
  /** `all` makes the message transactional. */
  readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
  /** The message is sent although the person has reached the frequency cap. */
  readonly override_frequency_capping?: boolean | 'true' | 'false'
  readonly campaign_id?: string
  /** Is stored and returned. */
  readonly send_id?: string
  readonly messages: Messages
}

export type PostMessagesScheduleCreateBody = {
  /** At most 50 together with `user_aliases`. */
  readonly external_user_ids?: readonly (string | number)[]
  readonly user_aliases?: readonly UserAliasInput[]
  /** The order is only for people in this segment. */
  readonly segment_id?: string
  /** A tree of conditions. The order is only for people who match it. */
  readonly audience?: { readonly [name: string]: unknown }
  /** Whether the order is for all people in the segment and the audience. Must be true when no recipients are named, and false otherwise. */
  readonly broadcast?: boolean | 'true' | 'false'
  /** `all` makes the message transactional. */
  readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
  /** The message is sent although the person has reached the frequency cap. */
  readonly override_frequency_capping?: boolean | 'true' | 'false'
  readonly campaign_id?: string
  /** Is stored and returned. */
  readonly send_id?: string
  readonly schedule: ScheduleInput
  readonly messages: Messages
}

export type PostMessagesScheduleUpdateBody = {
  /** As `schedule/create` returned it. */
  readonly schedule_id: string
  readonly schedule?: ScheduleInput
  readonly messages?: Messages
}

export type PostMessagesScheduleUpdateReply = {
  /** Says what was accepted but has no effect. */
  readonly notice?: string
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostMessagesScheduleDeleteBody = {
  /** As `schedule/create` returned it. */
  readonly schedule_id: string
}

export type GetMessagesScheduledBroadcastsQuery = {
  /** ISO 8601. Its date is read as midnight in UTC. */
  readonly end_time: string
}

export type PostMessagesScheduledBroadcastsBody = {
  /** ISO 8601. Its date is read as midnight in UTC. */
  readonly end_time?: string
}

export type PostMessagesScheduledBroadcastsQuery = {
  /** ISO 8601. Its date is read as midnight in UTC. */
  readonly end_time?: string | undefined
}

export type PostCanvasTriggerSendBody = {
  /** The id of a canvas. */
  readonly canvas_id: string
  readonly recipients?: readonly Recipient[]
  /** A tree of conditions. The order is only for people who match it. */
  readonly audience?: { readonly [name: string]: unknown }
  /** Whether the order is for all people in the segment and the audience. Must be true when no recipients are named, and false otherwise. */
  readonly broadcast?: boolean | 'true' | 'false'
  /** Properties of everybody. Those of a recipient go before them. At most 51200 bytes and 50 levels. */
  readonly trigger_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly canvas_entry_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly context?: { readonly [name: string]: unknown }
}

export type PostCanvasTriggerSendReply = {
  /** The id of this order. */
  readonly dispatch_id: string
  /** Says what was accepted but has no effect. */
  readonly notice?: string
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostCanvasTriggerScheduleCreateBody = {
  /** The id of a canvas. */
  readonly canvas_id: string
  readonly recipients?: readonly Recipient[]
  /** A tree of conditions. The order is only for people who match it. */
  readonly audience?: { readonly [name: string]: unknown }
  /** Whether the order is for all people in the segment and the audience. Must be true when no recipients are named, and false otherwise. */
  readonly broadcast?: boolean | 'true' | 'false'
  /** Properties of everybody. Those of a recipient go before them. At most 51200 bytes and 50 levels. */
  readonly trigger_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly canvas_entry_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly context?: { readonly [name: string]: unknown }
  readonly schedule: ScheduleInput
}

export type PostCanvasTriggerScheduleCreateReply = {
  /** The id of this order. */
  readonly dispatch_id: string
  readonly schedule_id: string
  /** Says what was accepted but has no effect. */
  readonly notice?: string
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostCanvasTriggerScheduleUpdateBody = {
  /** The id of a canvas. */
  readonly canvas_id: string
  /** As `schedule/create` returned it. */
  readonly schedule_id: string
  readonly schedule: ScheduleInput
}

export type PostCanvasTriggerScheduleDeleteBody = {
  /** The id of a canvas. */
  readonly canvas_id: string
  /** As `schedule/create` returned it. */
  readonly schedule_id: string
}

export type PostCampaignsTriggerSendBody = {
  /** The id of a campaign. */
  readonly campaign_id: string
  readonly recipients?: readonly Recipient[]
  /** A tree of conditions. The order is only for people who match it. */
  readonly audience?: { readonly [name: string]: unknown }
  /** Whether the order is for all people in the segment and the audience. Must be true when no recipients are named, and false otherwise. */
  readonly broadcast?: boolean | 'true' | 'false'
  /** Properties of everybody. Those of a recipient go before them. At most 51200 bytes and 50 levels. */
  readonly trigger_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly canvas_entry_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly context?: { readonly [name: string]: unknown }
  /** Is stored and returned. */
  readonly send_id?: string
  /** Files for the mails of this order, beside those of the campaign. */
  readonly attachments?: readonly Attachment[]
}

export type PostCampaignsTriggerScheduleCreateBody = {
  /** The id of a campaign. */
  readonly campaign_id: string
  readonly recipients?: readonly Recipient[]
  /** A tree of conditions. The order is only for people who match it. */
  readonly audience?: { readonly [name: string]: unknown }
  /** Whether the order is for all people in the segment and the audience. Must be true when no recipients are named, and false otherwise. */
  readonly broadcast?: boolean | 'true' | 'false'
  /** Properties of everybody. Those of a recipient go before them. At most 51200 bytes and 50 levels. */
  readonly trigger_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly canvas_entry_properties?: { readonly [name: string]: unknown }
  /** The same. At most 51200 bytes and 50 levels. */
  readonly context?: { readonly [name: string]: unknown }
  /** Is stored and returned. */
  readonly send_id?: string
  /** Files for the mails of this order, beside those of the campaign. */
  readonly attachments?: readonly Attachment[]
  readonly schedule: ScheduleInput
}

export type PostCampaignsTriggerScheduleUpdateBody = {
  /** The id of a campaign. */
  readonly campaign_id: string
  /** As `schedule/create` returned it. */
  readonly schedule_id: string
  readonly schedule: ScheduleInput
}

export type PostCampaignsTriggerScheduleDeleteBody = {
  /** The id of a campaign. */
  readonly campaign_id: string
  /** As `schedule/create` returned it. */
  readonly schedule_id: string
}

export type PostTransactionalV1CampaignsCampaignIdSendBody = {
  /** A request with the same id within 24 hours gets the same answer and sends nothing. */
  readonly external_send_id?: string
  /** Properties of the mail. At most 51200 bytes and 50 levels. */
  readonly trigger_properties?: { readonly [name: string]: unknown }
  readonly recipient: Recipient | readonly Recipient[]
  /** Files beside those of the campaign. */
  readonly attachments?: readonly Attachment[]
}

export type PostTransactionalV1CampaignsCampaignIdSendReply = {
  /** The id of this order. */
  readonly dispatch_id: string
  readonly status: 'sent'
  readonly metadata: {
    readonly external_send_id?: string
    readonly campaign_api_id: string
    readonly received_at: string
    readonly enqueued_at: string
  }
  /** Says what was accepted but has no effect. */
  readonly notice?: string
  /** What was accepted, but not kept as sent; absent when everything was kept */
  readonly notices?: readonly Notice[]
  /** How many notices there are beyond the first 100 */
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostSendsIdCreateBody = {
  /** The id of a campaign. */
  readonly campaign_id: string
  /** Generated when it is absent. */
  readonly send_id?: string
}

export type PostSendsIdCreateReply = { readonly send_id: string; readonly message: 'success' }

export type PostCanvasDuplicateBody = {
  /** The canvas to copy */
  readonly canvas_id: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** at most 1000 characters */
  readonly description?: string
  /** a list of at most 50 different tags */
  readonly tag_names?: readonly string[]
}

export type PostCampaignsDuplicateBody = {
  /** The campaign to copy */
  readonly campaign_id: string
  /** one line of 1 to 255 characters without spaces around it */
  readonly name: string
  /** at most 1000 characters */
  readonly description?: string
  /** a list of at most 50 different tags */
  readonly tag_names?: readonly string[]
}

export type GetCanvasListQuery = {
  /** The page, of 100 each. */
  readonly page?: number | undefined
  readonly include_archived?: boolean | undefined
  /** By creation: asc is oldest first. */
  readonly sort_direction?: 'asc' | 'desc' | undefined
  /** ISO 8601. Only those that were changed after it are listed. */
  readonly 'last_edit.time[gt]'?: string | undefined
}

export type GetCanvasListReply = {
  readonly canvases: readonly {
    readonly id: string
    readonly name: string
    readonly tags: readonly string[]
    readonly last_edited: string
  }[]
  readonly message: 'success'
}

export type GetCanvasDetailsQuery = {
  /** The id of a canvas */
  readonly canvas_id: string
}

export type GetCanvasDetailsReply = {
  readonly created_at: string
  readonly updated_at: string
  readonly name: string
  readonly description: string
  readonly archived: boolean
  readonly draft: boolean
  /** Whether people can enter it */
  readonly enabled: boolean
  readonly has_post_launch_draft: boolean
  readonly schedule_type: 'api_triggered' | 'action_based' | 'time_based'
  readonly channels: readonly string[]
  readonly tags: readonly string[]
  readonly teams: readonly string[]
  readonly first_sent: string | null
  readonly last_sent: string | null
  readonly first_entry: string | null
  readonly last_entry: string | null
  readonly variants: readonly {
    readonly name: string
    readonly id: string
    readonly first_step_ids: readonly string[]
    readonly first_step_id: string
  }[]
  readonly steps: readonly ({
    readonly name: string
    readonly type: string
    readonly id: string
    readonly next_step_ids: readonly string[]
    /** null: the canvas ends after this path */
    readonly next_paths: readonly ({
      readonly name: string
      readonly next_step_id: string | null
    })[]
    readonly channels: readonly string[]
    readonly messages: { readonly [name: string]: StepMessages }
  })[]
  readonly message: 'success'
}

export type GetCampaignsListQuery = {
  /** The page, of 100 each. */
  readonly page?: number | undefined
  readonly include_archived?: boolean | undefined
  /** By creation: asc is oldest first. */
  readonly sort_direction?: 'asc' | 'desc' | undefined
  /** ISO 8601. Only those that were changed after it are listed. */
  readonly 'last_edit.time[gt]'?: string | undefined
}

export type GetCampaignsListReply = {
  readonly campaigns: readonly {
    readonly id: string
    readonly last_edited: string
    readonly name: string
    /** Whether requests can trigger it */
    readonly is_api_campaign: boolean
    readonly tags: readonly string[]
  }[]
  readonly message: 'success'
}

export type GetCampaignsDetailsQuery = {
  /** The id of a campaign */
  readonly campaign_id: string
}

export type GetCampaignsDetailsReply = {
  readonly created_at: string
  readonly updated_at: string
  readonly name: string
  readonly description: string
  readonly archived: boolean
  readonly draft: boolean
  /** Whether people can enter it */
  readonly enabled: boolean
  readonly has_post_launch_draft: boolean
  readonly schedule_type: 'api_triggered' | 'action_based' | 'time_based'
  readonly channels: readonly string[]
  readonly tags: readonly string[]
  readonly teams: readonly string[]
  readonly first_sent: string | null
  readonly last_sent: string | null
  /** By `message_variation_id` */
  readonly messages: { readonly [name: string]: StepMessages }
  readonly conversion_behaviors: readonly ({
    readonly type: 'Performs Custom Event' | 'Makes Purchase' | 'Makes Specific Purchase' | 'Opens Email' | 'Clicks Email'
    /** Seconds after the receipt of the message */
    readonly window: number
    readonly custom_event_name?: string
    readonly product?: string
  })[]
  readonly message: 'success'
}

export type PostUsersExportSegmentBody = {
  /** The id of a segment */
  readonly segment_id: string
  /** Gets a POST of {"success": true, "url": "..."} when the export can be downloaded */
  readonly callback_endpoint?: string
  readonly fields_to_export: readonly (
      | 'apps'
      | 'attributed_ad'
      | 'attributed_adgroup'
      | 'attributed_campaign'
      | 'attributed_source'
      | 'campaigns_received'
      | 'canvases_received'
      | 'cards_clicked'
      | 'country'
      | 'created_at'
      | 'custom_attributes'
      | 'custom_events'
      | 'devices'
      | 'dob'
      | 'email'
      | 'email_opted_in_at'
      | 'email_subscribe'
      | 'email_unsubscribed_at'
      | 'external_id'
      | 'first_name'
      | 'gender'
      | 'home_city'
      | 'language'
      | 'last_coordinates'
      | 'last_name'
      | 'phone'
      | 'purchases'
      | 'push_opted_in_at'
      | 'push_subscribe'
      | 'push_tokens'
      | 'push_unsubscribed_at'
      | 'random_bucket'
      | 'time_zone'
      | 'total_revenue'
      | 'uninstalled_at'
      | 'user_aliases'
      | 'service_id')[]
  /** Exports only these. `custom_attributes` in the fields exports all */
  readonly custom_attributes_to_export?: readonly string[]
  readonly output_format?: 'zip' | 'gzip'
}

export type PostUsersExportGlobalControlGroupBody = {
  /** Gets a POST of {"success": true, "url": "..."} when the export can be downloaded */
  readonly callback_endpoint?: string
  readonly fields_to_export: readonly (
      | 'apps'
      | 'attributed_ad'
      | 'attributed_adgroup'
      | 'attributed_campaign'
      | 'attributed_source'
      | 'campaigns_received'
      | 'canvases_received'
      | 'cards_clicked'
      | 'country'
      | 'created_at'
      | 'custom_attributes'
      | 'custom_events'
      | 'devices'
      | 'dob'
      | 'email'
      | 'email_opted_in_at'
      | 'email_subscribe'
      | 'email_unsubscribed_at'
      | 'external_id'
      | 'first_name'
      | 'gender'
      | 'home_city'
      | 'language'
      | 'last_coordinates'
      | 'last_name'
      | 'phone'
      | 'purchases'
      | 'push_opted_in_at'
      | 'push_subscribe'
      | 'push_tokens'
      | 'push_unsubscribed_at'
      | 'random_bucket'
      | 'time_zone'
      | 'total_revenue'
      | 'uninstalled_at'
      | 'user_aliases'
      | 'service_id')[]
  readonly output_format?: 'zip' | 'gzip'
}

export type PostV2SubscriptionStatusSetBody = {
  readonly subscription_groups: readonly ({
    readonly subscription_group_id: string
    readonly subscription_state: 'subscribed' | 'unsubscribed'
    /** With `true` and `subscribed`, people get a mail with a link, and are subscribed when they confirm. It has an effect only for groups whose `double_opt_in` has `through_api`. */
    readonly use_double_opt_in_logic?: boolean
    readonly external_ids?: string | readonly (string | number)[]
    readonly emails?: string | readonly string[]
    readonly phones?: string | readonly string[]
  })[]
}

export type PostSubscriptionStatusSetBody = {
  readonly subscription_group_id: string
  readonly subscription_state: 'subscribed' | 'unsubscribed'
  /** With `true` and `subscribed`, people get a mail with a link, and are subscribed when they confirm. It has an effect only for groups whose `double_opt_in` has `through_api`. */
  readonly use_double_opt_in_logic?: boolean
  readonly external_id?: string | number | readonly (string | number)[]
  readonly email?: string | readonly string[]
  readonly phone?: string | readonly string[]
}

export type GetSubscriptionStatusGetQuery = {
  readonly subscription_group_id: string
  readonly external_id?: string | readonly string[] | undefined
  readonly email?: string | readonly string[] | undefined
  readonly phone?: string | readonly string[] | undefined
}

export type GetSubscriptionStatusGetReply = {
  /** `Subscribed`, `Unsubscribed` or `unknown`, by identifier as it was sent */
  readonly status: { readonly [name: string]: string }
  readonly message: 'success'
}

export type GetSubscriptionUserStatusQuery = {
  readonly external_id?: string | readonly string[] | undefined
  readonly email?: string | readonly string[] | undefined
  readonly phone?: string | readonly string[] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export type GetSubscriptionUserStatusReply = {
  readonly users: readonly ({
    readonly email: string | null
    readonly phone: string | null
    readonly external_id: string | null
    readonly subscription_groups: readonly {
      readonly id: string
      readonly name: string
      /** `email` or `sms` */
      readonly channel: string
      /** `Subscribed` or `Unsubscribed` */
      readonly status: string
    }[]
  })[]
  /** People matched before paging */
  readonly total_count: number
  readonly message: 'success'
}

export type PostPartnersPartnerCohortsBody = {
  /** An API key with the permission `partners.cohorts`; not needed with `Authorization` */
  readonly client_secret?: string
  /** Is not used */
  readonly partner_api_key?: string
  /** The id that the partner gives */
  readonly cohort_id: string
  readonly name: string
  /** Now when absent; never changes */
  readonly created_at?: string
}

export type PostPartnersPartnerCohortsUsersBody = {
  /** An API key with the permission `partners.cohorts`; not needed with `Authorization` */
  readonly client_secret?: string
  /** Is not used */
  readonly partner_api_key?: string
  /** The id that the partner gives */
  readonly cohort_id?: string
  /** Names at most 1000 people. An empty list only tests the key */
  readonly cohort_changes: readonly ({
    /** External ids */
    readonly user_ids?: readonly (string | number)[]
    readonly device_ids?: readonly string[]
    readonly aliases?: readonly UserAliasInput[]
    /** Whether the people leave the cohort */
    readonly should_remove?: boolean
  })[]
}

export type PostEmailStatusBody = {
  readonly email: string | readonly string[]
  readonly subscription_state: 'subscribed' | 'unsubscribed' | 'opted_in'
}

export type GetEmailUnsubscribesQuery = {
  /** Midnight UTC. A time is read as its date. */
  readonly end_date: string
  /** Midnight UTC. A time is read as its date. */
  readonly start_date?: string | undefined
  /** Replaces the dates */
  readonly email?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly sort_direction?: 'asc' | 'desc' | undefined
}

export type GetEmailUnsubscribesReply = {
  readonly emails: readonly {
    readonly email: string
    /** `2020-06-17 19:27:44 +0000` */
    readonly unsubscribed_at: string
  }[]
  readonly message: 'success'
}

export type GetEmailHardBouncesQuery = {
  /** Midnight UTC. A time is read as its date. */
  readonly end_date: string
  /** Midnight UTC. A time is read as its date. */
  readonly start_date?: string | undefined
  /** Replaces the dates */
  readonly email?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export type GetEmailHardBouncesReply = {
  readonly emails: readonly {
    readonly email: string
    /** `2020-06-17 19:27:44 +0000` */
    readonly hard_bounced_at: string
  }[]
  readonly message: 'success'
}

export type GetSmsInvalidPhoneNumbersQuery = {
  /** Midnight UTC. A time is read as its date. */
  readonly start_date?: string | undefined
  /** Midnight UTC. A time is read as its date. */
  readonly end_date?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly phone_numbers?: readonly string[] | undefined
  readonly reason?: 'provider_error' | 'deactivated' | undefined
}

export type GetSmsInvalidPhoneNumbersReply = {
  /** The newest first */
  readonly sms: readonly ({
    readonly phone: string
    readonly invalid_detected_at: string
    readonly reason: 'provider_error' | 'deactivated'
  })[]
  readonly message: 'success'
}

export type PostSmsInvalidPhoneNumbersRemoveBody = { readonly phone_numbers: readonly string[] }

/** The signed body, in the format of the provider. */
export type PostWebhooksAmazonSesWorkspaceBody = { readonly [name: string]: unknown }

/** The signed body, in the format of the provider. */
export type PostWebhooksSendgridWorkspaceBody = { readonly [name: string]: unknown }

/** The signed body, in the format of the provider. */
export type PostWebhooksMailgunWorkspaceBody = { readonly [name: string]: unknown }

export type PostContentBlocksCreateBody = {
  readonly name: string
  /** Liquid, smaller than 51200 bytes. */
  readonly content: string
  readonly description?: string
  readonly state?: 'active' | 'draft'
  readonly tags?: readonly string[]
}

export type PostContentBlocksCreateReply = {
  readonly content_block_id: string
  readonly liquid_tag: string
  readonly created_at: string
  readonly message: 'success'
}

export type PostContentBlocksUpdateBody = {
  readonly content_block_id: string
  readonly name?: string
  /** Liquid, smaller than 51200 bytes. */
  readonly content?: string
  readonly description?: string
  readonly state?: 'active' | 'draft'
  readonly tags?: readonly string[]
}

export type PostContentBlocksUpdateReply = {
  readonly content_block_id: string
  readonly liquid_tag: string
  readonly updated_at: string
  readonly message: 'success'
}

export type GetContentBlocksListQuery = {
  /** Updated then or later. */
  readonly modified_after?: string | undefined
  /** Updated then or earlier. */
  readonly modified_before?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export type GetContentBlocksListReply = {
  /** Entries in this answer. */
  readonly count: number
  readonly content_blocks: readonly ({
    readonly content_block_id: string
    readonly name: string
    readonly content_type: 'html' | 'text'
    /** Campaigns and canvases that include the block. */
    readonly inclusion_count: number
    readonly created_at: string
    readonly last_edited: string
    readonly tags: readonly string[]
    readonly liquid_tag: string
  })[]
  readonly message: 'success'
}

export type GetContentBlocksInfoQuery = {
  readonly content_block_id: string
  readonly include_inclusion_data?: boolean | undefined
}

export type GetContentBlocksInfoReply = {
  readonly content_block_id: string
  readonly name: string
  readonly content_type: 'html' | 'text'
  /** Campaigns and canvases that include the block. */
  readonly inclusion_count: number
  readonly created_at: string
  readonly last_edited: string
  readonly tags: readonly string[]
  readonly content: string
  readonly description: string
  readonly inclusion_data?: readonly { readonly [name: string]: unknown }[]
  readonly message: 'success'
}

export type PostTemplatesEmailCreateBody = {
  readonly template_name: string
  readonly subject: string
  /** HTML with Liquid, at most 1048576 bytes. */
  readonly body: string
  readonly plaintext_body?: string
  readonly preheader?: string
  readonly tags?: readonly string[]
  /** The setting of the workspace when absent. */
  readonly should_inline_css?: boolean
}

export type PostTemplatesEmailUpdateBody = {
  readonly email_template_id: string
  readonly template_name?: string
  readonly subject?: string
  /** HTML with Liquid, at most 1048576 bytes. */
  readonly body?: string
  readonly plaintext_body?: string
  readonly preheader?: string
  readonly tags?: readonly string[]
  /** The setting of the workspace when absent. */
  readonly should_inline_css?: boolean
}

export type GetTemplatesEmailListQuery = {
  /** Updated then or later. */
  readonly modified_after?: string | undefined
  /** Updated then or earlier. */
  readonly modified_before?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export type GetTemplatesEmailListReply = {
  /** Entries in this answer. */
  readonly count: number
  readonly templates: readonly {
    readonly email_template_id: string
    readonly template_name: string
    readonly created_at: string
    readonly updated_at: string
    readonly tags: readonly string[]
  }[]
  readonly message: 'success'
}

export type GetTemplatesEmailInfoQuery = {
  readonly email_template_id: string
}

export type GetTemplatesEmailInfoReply = {
  readonly email_template_id: string
  readonly template_name: string
  readonly created_at: string
  readonly updated_at: string
  readonly tags: readonly string[]
  readonly description: string
  readonly subject: string
  readonly preheader: string | null
  readonly body: string
  readonly plaintext_body: string | null
  readonly should_inline_css: boolean | null
  readonly message: 'success'
}

export type PostMediaLibraryCreateReply = {
  readonly new_assets: readonly ({
    readonly name: string
    /** Bytes */
    readonly size: number
    /** The same for every copy of the file */
    readonly url: string
    readonly ext: 'png' | 'jpg' | 'gif' | 'pdf'
  })[]
  readonly message: 'success'
}

export type GetPreferenceCenterV1ListReply = {
  readonly preference_centers: readonly {
    readonly name: string
    readonly preference_center_api_id: string
    readonly created_at: string
    readonly updated_at: string
  }[]
  readonly message: 'success'
}

export type PostPreferenceCenterV1Body = {
  readonly name: string
  readonly preference_center_title: string
  /** The page with the form. HTML with Liquid, at most 102400 bytes. */
  readonly preference_center_page_html: string
  /** The page after the form was saved. HTML with Liquid, at most 102400 bytes. */
  readonly confirmation_page_html: string
  readonly state?: 'active' | 'draft'
  readonly options?: Options
}

export type PostPreferenceCenterV1Reply = {
  readonly preference_center_api_id: string
  readonly liquid_tag: string
  readonly created_at: string
  readonly message: 'success'
}

export type GetPreferenceCenterV1PreferenceCenterExternalIdReply = {
  readonly name: string
  readonly preference_center_api_id: string
  readonly created_at: string
  readonly updated_at: string
  readonly preference_center_title: string
  readonly preference_center_page_html: string
  readonly confirmation_page_html: string
  /** There is no such page. */
  readonly redirect_page_html: null
  readonly preference_center_options: Options
  readonly state: 'active' | 'draft'
  readonly message: 'success'
}

export type PutPreferenceCenterV1PreferenceCenterExternalIdBody = {
  readonly name?: string
  readonly preference_center_title?: string
  /** The page with the form. HTML with Liquid, at most 102400 bytes. */
  readonly preference_center_page_html?: string
  /** The page after the form was saved. HTML with Liquid, at most 102400 bytes. */
  readonly confirmation_page_html?: string
  readonly state?: 'active' | 'draft'
  readonly options?: Options
}

export type PutPreferenceCenterV1PreferenceCenterExternalIdReply = {
  readonly preference_center_api_id: string
  readonly liquid_tag: string
  readonly created_at: string
  readonly updated_at: string
  readonly message: 'success'
}

export type GetPreferenceCenterV1PreferenceCenterExternalIdUrlUserIdReply = {
  readonly preference_center_url: string
  readonly message: 'success'
}

export type GetSegmentsListQuery = {
  /** Pages have 100 segments. */
  readonly page?: number | undefined
  /** By creation: asc is oldest first. */
  readonly sort_direction?: 'asc' | 'desc' | undefined
}

export type GetSegmentsListReply = {
  readonly segments: readonly {
    readonly id: string
    readonly name: string
    readonly analytics_tracking_enabled: boolean
    readonly tags: readonly string[]
  }[]
  readonly message: string
}

export type GetSegmentsDetailsQuery = {
  /** The id of a segment. */
  readonly segment_id: string
}

export type GetSegmentsDetailsReply = {
  readonly created_at: string
  readonly updated_at: string
  readonly name: string
  readonly description: string
  /** The conditions in words. */
  readonly text_description: string
  readonly tags: readonly string[]
  readonly teams: readonly string[]
  readonly message: string
}

export type GetSegmentsDataSeriesQuery = {
  /** The id of a segment. */
  readonly segment_id: string
  /** Days, including the last one. */
  readonly length: number
  /** An instant of the last day, ISO 8601; the time of the request when absent. */
  readonly ending_at?: string | undefined
  readonly unit?: 'day' | undefined
}

export type PostSegmentsDataSeriesBody = {
  /** The id of a segment. */
  readonly segment_id: string
  /** Days, including the last one. */
  readonly length: number
  /** An instant of the last day, ISO 8601; the time of the request when absent. */
  readonly ending_at?: string
  readonly unit?: 'day'
}

export type PostCatalogsBody = {
  readonly catalogs: readonly {
    /** Name of the catalog */
    readonly name: string
    readonly description?: string
    /** The first field is id, of type string */
    readonly fields: readonly NewCatalogField[]
  }[]
}

export type PostCatalogsCatalogNameFieldsBody = { readonly fields: readonly NewCatalogField[] }

export type GetCatalogsCatalogNameItemsQuery = {
  /** From the header `Link` of another page; the first page when absent */
  readonly cursor?: string | undefined
}

export type PostSdkDataBody = {
  /** Exactly one of the members. Without `identifier` the report is about the owner of the device */
  readonly identifier?: {
    readonly external_id?: string | number
    readonly user_alias?: UserAliasInput
    readonly service_id?: string
    readonly email?: string
    /** E.164 */
    readonly phone?: string
  }
  /** A member that is omitted does not change */
  readonly device: {
    /** 8 to 255 bytes */
    readonly device_id: string
    /** null clears it */
    readonly model?: string | null
    /** null clears it */
    readonly os?: string | null
    /** null clears it */
    readonly carrier?: string | null
    /** null clears it */
    readonly idfv?: string | null
    /** null clears it */
    readonly idfa?: string | null
    /** null clears it */
    readonly google_ad_id?: string | null
    /** null clears it */
    readonly roku_ad_id?: string | null
    readonly ad_tracking_enabled?: boolean | null
  }
  /** An app of the workspace */
  readonly app_id: string
  readonly app_version?: string
  readonly sessions?: readonly {
    /** ISO 8601; one in the future counts as now */
    readonly started_at: string
    /** ISO 8601; one in the future counts as now */
    readonly ended_at: string
  }[]
  /** The push token of this app on this device */
  readonly push_token?: string
  /** Replaces the whole earlier attribution */
  readonly attribution?: {
    readonly campaign?: string
    readonly source?: string
    readonly adgroup?: string
    readonly ad?: string
  }
  readonly card_clicks?: readonly (string | {
    readonly name: string
    /** ISO 8601; one in the future counts as now */
    readonly time?: string
  })[]
  /** ISO 8601; one in the future counts as now */
  readonly uninstalled_at?: string
}

export type PostSdkDataReply = {
  /** The person that the report is about */
  readonly service_id: string
  readonly message: 'success'
}

export type GetEventsListQuery = {
  /** Pages have 250 names. */
  readonly page?: number | undefined
  /** By name */
  readonly sort_direction?: 'asc' | 'desc' | undefined
}

export type GetEventsListReply = { readonly events: readonly string[]; readonly message: string }

export type GetEventsQuery = {
  /** From the header `Link` of another page; pages have 50 entries */
  readonly cursor?: string | undefined
}

export type GetEventsReply = {
  readonly events: readonly ({
    readonly name: string
    /** null: names have no descriptions */
    readonly description: string | null
    /** false: there is no such report */
    readonly included_in_analytics_report: boolean
    readonly status: 'Active'
    /** Empty: names have no tags */
    readonly tag_names: readonly string[]
  })[]
  readonly message: string
}

export type GetCustomAttributesQuery = {
  /** From the header `Link` of another page; pages have 50 entries */
  readonly cursor?: string | undefined
}

export type GetCustomAttributesReply = {
  readonly attributes: readonly ({
    /** 500 items for an array; null for everything else */
    readonly array_length: number | null
    /** The types of the values so far, such as `String (Automatically Detected)`; several have commas between them */
    readonly data_type: string
    /** null: names have no descriptions */
    readonly description: string | null
    readonly name: string
    /** `Blocklisted`: new values are not stored */
    readonly status: 'Active' | 'Blocklisted'
    /** Empty: names have no tags */
    readonly tag_names: readonly string[]
  })[]
  readonly message: string
}

export type PostCustomAttributesBlocklistBody = {
  /** Names of custom attributes, also of those that no person has yet */
  readonly custom_attributes?: readonly string[]
  /** The same, as some clients call it. One of the two is required */
  readonly custom_attribute_names?: readonly string[]
  /** true: new values are not stored any more. false: they are again */
  readonly blocklisted: boolean
}

export type PostCustomAttributesBlocklistReply = { readonly message: string }

export type GetPurchasesProductListQuery = {
  /** Pages have 250 names. */
  readonly page?: number | undefined
  /** By name */
  readonly sort_direction?: 'asc' | 'desc' | undefined
}

export type GetPurchasesProductListReply = {
  readonly products: readonly string[]
  readonly message: string
}

export type GetFeedListQuery = {
  readonly page?: number | undefined
  readonly include_archived?: boolean | undefined
  readonly sort_direction?: 'asc' | 'desc' | undefined
}

export type GetFeedListReply = {
  /** Empty: Easel has no cards of a news feed */
  readonly cards: readonly unknown[]
  readonly message: string
}

export type GetFeedDetailsQuery = {
  /** No card has any id */
  readonly card_id: string
}

export type GetFeedDataSeriesQuery = {
  /** No card has any id */
  readonly card_id: string
}

export type GetAppGroupSdkAuthenticationKeysQuery = {
  /** The id of an app */
  readonly app_id: string
}

export type GetAppGroupSdkAuthenticationKeysReply = {
  /** Empty: reports of apps are accepted with the key of the app */
  readonly keys: readonly unknown[]
  readonly message: string
}

export type GetEventsDataSeriesQuery = {
  /** The name of an event */
  readonly event: string
  /** Days, or hours, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent */
  readonly ending_at?: string | undefined
  readonly unit?: 'day' | 'hour' | undefined
  /** The id of an app; all apps when absent */
  readonly app_id?: string | undefined
  /** The id of a segment: only what those did who are in it now; everybody when absent */
  readonly segment_id?: string | undefined
}

export type GetEventsDataSeriesReply = {
  /** Oldest first, also points at which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins */
    readonly time: string
    readonly count: number
  }[]
  readonly message: string
}

export type GetPurchasesQuantitySeriesQuery = {
  /** The id of a product; all products when absent */
  readonly product?: string | undefined
  /** Days, or hours, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent */
  readonly ending_at?: string | undefined
  readonly unit?: 'day' | 'hour' | undefined
  /** The id of an app; all apps when absent */
  readonly app_id?: string | undefined
  /** The id of a segment: only what those did who are in it now; everybody when absent */
  readonly segment_id?: string | undefined
}

export type GetPurchasesQuantitySeriesReply = {
  /** Oldest first, also points at which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins */
    readonly time: string
    readonly purchase_quantity: number
  }[]
  readonly message: string
}

export type GetPurchasesRevenueSeriesQuery = {
  /** The id of a product; all products when absent */
  readonly product?: string | undefined
  /** Days, or hours, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent */
  readonly ending_at?: string | undefined
  readonly unit?: 'day' | 'hour' | undefined
  /** The id of an app; all apps when absent */
  readonly app_id?: string | undefined
  /** The id of a segment: only what those did who are in it now; everybody when absent */
  readonly segment_id?: string | undefined
}

export type GetPurchasesRevenueSeriesReply = {
  /** Oldest first, also points at which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins */
    readonly time: string
    /** The sum of price times quantity, whatever the currency */
    readonly revenue: number
  }[]
  readonly message: string
}

export type GetSessionsDataSeriesQuery = {
  /** Days, or hours, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent */
  readonly ending_at?: string | undefined
  readonly unit?: 'day' | 'hour' | undefined
  /** The id of an app; all apps when absent */
  readonly app_id?: string | undefined
  /** The id of a segment: only what those did who are in it now; everybody when absent */
  readonly segment_id?: string | undefined
}

export type GetSessionsDataSeriesReply = {
  /** Oldest first, also points at which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins */
    readonly time: string
    readonly sessions: number
  }[]
  readonly message: string
}

export type GetKpiDauDataSeriesQuery = {
  /** Days, or hours, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent */
  readonly ending_at?: string | undefined
  /** The id of an app; all apps when absent */
  readonly app_id?: string | undefined
}

export type GetKpiDauDataSeriesReply = {
  /** Oldest first, also points at which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins */
    readonly time: string
    /** People with a session on the day */
    readonly dau: number
  }[]
  readonly message: string
}

export type GetKpiMauDataSeriesQuery = {
  /** Days, or hours, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent */
  readonly ending_at?: string | undefined
  /** The id of an app; all apps when absent */
  readonly app_id?: string | undefined
}

export type GetKpiMauDataSeriesReply = {
  /** Oldest first, also points at which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins */
    readonly time: string
    /** People with a session on the day or the 29 days before */
    readonly mau: number
  }[]
  readonly message: string
}

export type GetKpiNewUsersDataSeriesQuery = {
  /** Days, or hours, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent */
  readonly ending_at?: string | undefined
  /** The id of an app; all apps when absent */
  readonly app_id?: string | undefined
}

export type GetKpiNewUsersDataSeriesReply = {
  /** Oldest first, also points at which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins */
    readonly time: string
    /** People who were created on the day */
    readonly new_users: number
  }[]
  readonly message: string
}

export type GetKpiUninstallsDataSeriesQuery = {
  /** Days, or hours, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent */
  readonly ending_at?: string | undefined
  /** The id of an app; all apps when absent */
  readonly app_id?: string | undefined
}

export type GetKpiUninstallsDataSeriesReply = {
  /** Oldest first, also points at which nothing happened */
  readonly data: readonly {
    /** A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins */
    readonly time: string
    readonly uninstalls: number
  }[]
  readonly message: string
}

export type GetCampaignsDataSeriesQuery = {
  readonly campaign_id: string
  /** Days, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of it; now when absent */
  readonly ending_at?: string | undefined
}

export type GetSendsDataSeriesQuery = {
  readonly campaign_id: string
  /** Days, including the last one */
  readonly length: number
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of it; now when absent */
  readonly ending_at?: string | undefined
  readonly send_id: string
}

export type GetCanvasDataSeriesQuery = {
  readonly canvas_id: string
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of it; now when absent */
  readonly ending_at?: string | undefined
  /** The first day (YYYY-MM-DD), or an instant of it. Either this or length is required. */
  readonly starting_at?: string | undefined
  /** Days, including the last one */
  readonly length?: number | undefined
  /** Adds the numbers of each variant */
  readonly include_variant_breakdown?: boolean | undefined
  /** Adds the numbers of each step with a message */
  readonly include_step_breakdown?: boolean | undefined
  /** Adds steps that the current version has not */
  readonly include_deleted_step_data?: boolean | undefined
}

export type GetCanvasDataSeriesReply = {
  readonly data: {
    readonly name: string
    /** Oldest first, also days on which nothing happened */
    readonly stats: readonly {
      /** A day in the time zone of the workspace (YYYY-MM-DD) */
      readonly time: string
      readonly total_stats: TotalStats
      /** By id */
      readonly variant_stats?: { readonly [name: string]: VariantStats }
      /** By id. A conversion counts for the step whose message the person received last. */
      readonly step_stats?: { readonly [name: string]: StepStats }
    }[]
  }
  readonly message: string
}

export type GetCanvasDataSummaryQuery = {
  readonly canvas_id: string
  /** The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of it; now when absent */
  readonly ending_at?: string | undefined
  /** The first day (YYYY-MM-DD), or an instant of it. Either this or length is required. */
  readonly starting_at?: string | undefined
  /** Days, including the last one */
  readonly length?: number | undefined
  /** Adds the numbers of each variant */
  readonly include_variant_breakdown?: boolean | undefined
  /** Adds the numbers of each step with a message */
  readonly include_step_breakdown?: boolean | undefined
  /** Adds steps that the current version has not */
  readonly include_deleted_step_data?: boolean | undefined
}

export type GetCanvasDataSummaryReply = {
  readonly data: {
    readonly name: string
    readonly total_stats: TotalStats
    /** By id */
    readonly variant_stats?: { readonly [name: string]: VariantStats }
    /** By id. A conversion counts for the step whose message the person received last. */
    readonly step_stats?: { readonly [name: string]: StepStats }
  }
  readonly message: string
}

export type PostScimV2UsersBody = {
  readonly schemas: readonly string[]
  /** An e-mail address. It never changes. */
  readonly userName: string
  readonly name: ScimName
  /** One of `settings.departments`. */
  readonly department: string
  readonly permissions?: ScimPermissions
  readonly externalId?: string
  readonly displayName?: string
  readonly locale?: string
  readonly title?: string
  readonly userType?: string
  /** Whether the person may sign in. */
  readonly active?: boolean
  readonly emails?: readonly ScimAddress[]
  readonly ims?: readonly ScimAddress[]
  /** The roles of `permissions.roles`, each by its name or its id, or by JSON text with one of them. */
  readonly roles?: readonly ScimRole[]
}

export type PostScimV2UsersQuery = {
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type GetScimV2UsersQuery = {
  /** RFC 7644, section 3.4.2.2: `userName eq "ada@example.com"`. */
  readonly filter?: string | undefined
  /** Counted from 1. */
  readonly startIndex?: number | undefined
  /** 100 when absent, at most 200. */
  readonly count?: number | undefined
  readonly sortBy?: string | undefined
  readonly sortOrder?: 'ascending' | 'descending' | undefined
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type GetScimV2UsersIdQuery = {
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type PutScimV2UsersIdBody = {
  readonly schemas: readonly string[]
  readonly name: ScimName
  /** One of `settings.departments`. */
  readonly department: string
  readonly permissions: ScimPermissions
  readonly externalId?: string
  readonly displayName?: string
  readonly locale?: string
  readonly title?: string
  readonly userType?: string
  /** Whether the person may sign in. */
  readonly active?: boolean
  readonly emails?: readonly ScimAddress[]
  readonly ims?: readonly ScimAddress[]
  /** The roles of `permissions.roles`, each by its name or its id, or by JSON text with one of them. */
  readonly roles?: readonly ScimRole[]
}

export type PutScimV2UsersIdQuery = {
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type PatchScimV2UsersIdQuery = {
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type GetScimV2GroupsQuery = {
  /** RFC 7644, section 3.4.2.2: `userName eq "ada@example.com"`. */
  readonly filter?: string | undefined
  /** Counted from 1. */
  readonly startIndex?: number | undefined
  /** 100 when absent, at most 200. */
  readonly count?: number | undefined
  readonly sortBy?: string | undefined
  readonly sortOrder?: 'ascending' | 'descending' | undefined
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type PostScimV2GroupsQuery = {
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type GetScimV2GroupsIdQuery = {
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type PutScimV2GroupsIdQuery = {
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type PatchScimV2GroupsIdQuery = {
  /** The attributes to answer, separated by commas. */
  readonly attributes?: string | undefined
  /** The attributes to omit, separated by commas. */
  readonly excludedAttributes?: string | undefined
}

export type GetScimV2ServiceProviderConfigReply = { readonly [name: string]: unknown }

export type GetScimV2ResourceTypesIdReply = { readonly [name: string]: unknown }

export type GetScimV2SchemasIdReply = { readonly [name: string]: unknown }

export type PostAdminClockBody = {
  /** The new instant, ISO 8601 with offset. */
  readonly now?: string
  /** By how much to move the clock, an ISO 8601 duration such as P3D or PT90M. */
  readonly advance?: string
  /** next: to what becomes due next. */
  readonly to?: 'next'
}

export type PostAdminApplyBody = {
  readonly workspace?: WorkspaceInput
  readonly settings?: Settings
  readonly apps?: readonly AppInput[]
  readonly api_keys?: readonly ApiKey[]
  readonly subscription_groups?: readonly SubscriptionGroupInput[]
  readonly sign_up_forms?: readonly SignUpFormInput[]
  readonly catalogs?: readonly CatalogInput[]
  readonly segments?: readonly SegmentInput[]
  readonly content_blocks?: readonly ContentBlockInput[]
  readonly email_templates?: readonly EmailTemplateInput[]
  readonly credentials?: readonly CredentialInput[]
  readonly dkim_keys?: readonly DkimKeyInput[]
  readonly webhooks?: readonly WebhookInput[]
  readonly canvases?: readonly CanvasInput[]
  readonly campaigns?: readonly CampaignInput[]
  readonly teams?: readonly TeamInput[]
  readonly roles?: readonly RoleInput[]
  readonly permission_sets?: readonly RoleInput[]
}

export type PostAdminApplyQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
  /** true: answer what would change and change nothing. */
  readonly plan?: 'true' | 'false' | undefined
}

export type PostAdminApplyReply = {
  readonly workspace: Workspace
  readonly changes: readonly ({
    readonly member: string
    readonly id: string
    readonly name: string
    readonly action: 'create' | 'update'
    readonly before: unknown
    readonly after: unknown
    /** Only in a plan: notes on the effects of the change, such as how many people are in a canvas. */
    readonly notes?: readonly string[]
  })[]
  /** Keys that were generated. This is the only time that they are shown. */
  readonly secrets: readonly {
    readonly member: string
    /** 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first */
    readonly id: string
    readonly name: string
    readonly key: string
  }[]
  readonly message: 'success'
}

export type GetAdminWorkspaceReply = {
  /** Oldest first; the first is the default workspace. */
  readonly workspaces: readonly Workspace[]
  readonly message: 'success'
}

export type GetAdminSettingsQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
}

export type GetAdminPeopleQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
  /** `next` of the previous page; absent for the first page. */
  readonly after?: string | undefined
}

export type GetAdminPeopleReply = {
  /** The header, people or parts of people, and states of addresses, as `easel export` writes them. */
  readonly lines: readonly { readonly [name: string]: unknown }[]
  /** `after` of the next page; null at the end. */
  readonly next: string | null
  /** Progress, 0 to 1. */
  readonly share: number
  readonly message: 'success'
}

export type PostAdminPeopleBody = {
  /** The header, people or parts of people, and states of addresses, as `easel export` writes them. */
  readonly lines: readonly { readonly [name: string]: unknown }[]
}

export type PostAdminPeopleQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
  /** true: answer what would change and change nothing. */
  readonly plan?: 'true' | 'false' | undefined
}

export type PostAdminPeopleReply = {
  /** People who were imported. */
  readonly imported: number
  /** People who already existed. They do not change. */
  readonly known: number
  /** Lines, counted from 0, that were not imported. */
  readonly left_out: readonly { readonly index: number; readonly reason: string }[]
  /** Subscription groups that the workspace does not have. */
  readonly unknown_groups: readonly string[]
  /** Canvases and campaigns that the workspace does not have, as `canvas:<id>` or `campaign:<id>`. */
  readonly unknown_flows: readonly string[]
  /** Cohorts, as `<partner>:<id>`, for which the workspace has no room. */
  readonly cohorts_left_out: readonly string[]
  /** Push tokens that other people of the workspace already have. */
  readonly tokens_left_out: number
  /** States of addresses that were hashed by another installation or workspace. */
  readonly states_left_out: number
  readonly message: 'success'
}

export type PostAdminDemoReply = {
  readonly workspace: Workspace
  readonly people: number
  readonly events: number
  readonly purchases: number
  /** What was made, and where to look at it */
  readonly sentence: string
  readonly message: 'success'
}

export type GetAdminKeysQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
}

export type GetAdminKeysReply = { readonly keys: readonly Key[]; readonly message: 'success' }

export type PostAdminKeysQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
}

export type DeleteAdminKeysIdQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
}

export type GetAdminInboxQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
  /** Only mail to this address, in upper or lower case. */
  readonly to?: string | undefined
  /** Only mail to this person. */
  readonly external_id?: string | undefined
  /** Only mail of this order. */
  readonly dispatch_id?: string | undefined
  /** Only mail since this instant, ISO 8601 with an offset. */
  readonly since?: string | undefined
  readonly limit?: number | undefined
  /** `cursor` of the previous page */
  readonly cursor?: string | undefined
}

export type GetAdminInboxReply = {
  /** Newest first */
  readonly messages: readonly InboxEntry[]
  /** The cursor of the next page; absent on the last page */
  readonly cursor?: string
  /** Where mail goes now, in one sentence */
  readonly delivery: string
  readonly message: 'success'
}

export type GetAdminInboxIdQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
  /** true: also return the source of the mail. */
  readonly source?: 'true' | 'false' | undefined
}

export type GetAdminInboxIdReply = InboxEntry & ({
  readonly from: string | null
  /** Unfolded values by name in lower case. If a header occurs several times, its values are separated by line breaks. */
  readonly headers: { readonly [name: string]: unknown }
  readonly html: string | null
  /** Where a browser with a session shows the mail. The path begins at the root of the service. */
  readonly html_url: string | null
  readonly text: string | null
  readonly attachments: readonly ({
    readonly filename: string | null
    readonly content_type: string
    readonly bytes: number
  })[]
  /** What only messages of this channel have. */
  readonly details?: { readonly [name: string]: unknown }
  readonly source?: string
})

export type GetAdminWhyQuery = {
  /** The id of a workspace; the default workspace when absent. */
  readonly workspace?: string | undefined
  readonly external_id?: string | undefined
  /** `label:name` */
  readonly user_alias?: string | undefined
  /** With `alias_label`. */
  readonly alias_name?: string | undefined
  /** With `alias_name`. */
  readonly alias_label?: string | undefined
  /** The answer is about all people who have the address. */
  readonly email?: string | undefined
  /** The member is named after the service. */
  readonly service_id?: string | undefined
  /** The id of a person, as in `/admin/people/{id}`. */
  readonly person?: string | undefined
  /** Alone, or with one person. */
  readonly dispatch_id?: string | undefined
  /** With one person: the entries of this canvas. */
  readonly canvas_id?: string | undefined
  /** The same for a campaign. */
  readonly campaign_id?: string | undefined
  readonly limit?: number | undefined
  /** `cursor` of the previous page */
  readonly cursor?: string | undefined
}

export type GetAdminWhyReply = {
  /** The people in the answer. */
  readonly people: readonly { readonly [name: string]: unknown }[]
  /** What the people were asked to confirm, and have not confirmed yet or too late. On the first page only. */
  readonly confirmations?: readonly ({
    readonly person: string
    readonly subscription_group_id: string
    /** The name of the group. */
    readonly group: string
    readonly state: 'pending' | 'expired'
    readonly sentence: string
    /** Of the last mail with the link. */
    readonly dispatch_id: string
    readonly expires_at: string
  })[]
  readonly reason?: 'no_such_user'
  /** Why there are no decisions. */
  readonly because?: string
  /** The answer in one or two sentences. */
  readonly sentence: string
  readonly canvas?: ExplainedFlow
  readonly campaign?: ExplainedFlow
  /** Entries of the canvas or campaign, newest first. On the first page only. */
  readonly entries?: readonly ({
    readonly entry_id: string
    readonly person: string
    /** The version that was current when the person entered. */
    readonly version: number
    /** arriving, waiting, listening, sending or ended. */
    readonly state: string
    /** `completed`, or the reason why it ended. */
    readonly ended: string | null
    readonly because: string | null
    /** Where the person stands, or how the entry ended. */
    readonly sentence: string
    readonly variant: string | null
    readonly variant_name: string | null
    readonly in_control: boolean
    readonly step: string | null
    readonly step_name: string | null
    readonly step_type: string | null
    readonly visit: number
    readonly waits_for: string | null
    readonly until: string | null
    /** The optimal hour of the person, and how it was found. */
    readonly timing: {
      readonly hour: number
      readonly due_at: string
      /** own, workspace or schedule: what determined the hour. */
      readonly source: string
    } | null
    readonly entered_at: string
    readonly ended_at: string | null
    /** null: the person entered after an event. */
    readonly dispatch_id: string | null
  })[]
  /** What people who have entered received. */
  readonly received?: readonly ({
    readonly person: string
    readonly entries: number
    readonly last_entered_at: string | null
    readonly last_exited_at: string | null
    readonly last_received_at: string | null
    readonly variant: string | null
    readonly in_control: boolean
    readonly opened_at: string | null
    readonly clicked_at: string | null
    readonly converted: readonly string[]
  })[]
  /** Why the others have not entered. */
  readonly never_entered?: readonly ({
    readonly person: string
    readonly reason: 
        | 'sent'
        | 'no_such_user'
        | 'no_address'
        | 'not_in_segment'
        | 'not_in_audience'
        | 'unsubscribed'
        | 'group_unsubscribed'
        | 'not_confirmed'
        | 'suppressed'
        | 'frequency_capped'
        | 'quiet_hours'
        | 'control_group'
        | 'global_control_group'
        | 'already_entered'
        | 'local_time_passed'
        | 'missed'
        | 'cancelled'
        | 'canvas_paused'
        | 'aborted_by_template'
        | 'template_error'
        | 'attachment_failed'
        | 'set_aside'
        | 'refused_by_server'
        | 'expired'
        | 'uncertain'
        | 'exited'
        | 'merged'
        | 'deleted' | null
    readonly because: string
    readonly sentence: string
    /** Now, and the moments when the person could have entered, newest first. */
    readonly moments: readonly ({
      readonly at: string
      /** now; order: an order named the person or selected people; schedule: the schedule selected people; event: the entry trigger happened */
      readonly what: string
      readonly dispatch_id: string | null
      /** The version that was current then. null: there was none yet. */
      readonly version: number | null
      /** null: not known, because it was not recorded yet. */
      readonly in_segment: boolean | null
      readonly in_audience: boolean | null
      readonly sentence: string
      /** The segment, condition by condition: `has`, as of when (`as_of`), and since when (`since`); `holds` null where it is not known */
      readonly because: unknown
    })[]
  })[]
  /** What has not ended yet. On the first page only. */
  readonly open: readonly ({
    /** The `service_id` of the person. null: nobody had the identifier. */
    readonly person: string | null
    readonly channel: string | null
    readonly sentence: string
    readonly waits_for: string
    readonly until: string | null
    readonly dispatch: Dispatch | null
    readonly flow: OpenFlow | null
    /** null while the recipients are not looked up yet. */
    readonly message: Message | null
  })[]
  /** Newest first. */
  readonly decisions: readonly ({
    readonly at: string
    /** The `service_id` of the person. null: nobody had the identifier. */
    readonly person: string | null
    /** null: the decision is about an entry, not about a message. */
    readonly channel: string | null
    readonly reason: 
        | 'sent'
        | 'no_such_user'
        | 'no_address'
        | 'not_in_segment'
        | 'not_in_audience'
        | 'unsubscribed'
        | 'group_unsubscribed'
        | 'not_confirmed'
        | 'suppressed'
        | 'frequency_capped'
        | 'quiet_hours'
        | 'control_group'
        | 'global_control_group'
        | 'already_entered'
        | 'local_time_passed'
        | 'missed'
        | 'cancelled'
        | 'canvas_paused'
        | 'aborted_by_template'
        | 'template_error'
        | 'attachment_failed'
        | 'set_aside'
        | 'refused_by_server'
        | 'expired'
        | 'uncertain'
        | 'exited'
        | 'merged'
        | 'deleted'
    /** The kind of the reason. `held`: a rule or the person did not allow it. */
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
    /** The reason, as the rest of a sentence. */
    readonly because: string
    /** What was decided, and why. */
    readonly sentence: string
    readonly rule: string | null
    /** What the rule read, and as of when. */
    readonly inputs: unknown
    readonly asked: { readonly [name: string]: unknown } | null
    /** The order of the message or the entry. null: the person entered after an event. */
    readonly dispatch: Dispatch | null
    /** The canvas or campaign, and the step in it. */
    readonly flow: OpenFlow | null
    readonly message: Message | null
  })[]
  /** For the next page. Absent on the last one. */
  readonly cursor?: string
  readonly message: 'success'
}
