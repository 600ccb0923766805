// Written by npm run generate from /openapi.json. The list of operations is in scripts/client.ts.
import { type Operation, withQuery } from './operation.ts'

export type Condition = {
  readonly custom_attribute: {
    readonly custom_attribute_name: string
    readonly path?: readonly string[]
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist' | 'includes_value' | 'does_not_include_value' | 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before'
    readonly value?: string | number | boolean
  }
} | {
  readonly push_subscription_status: {
    readonly comparison: 'is' | 'is_not'
    readonly value: 'opted_in' | 'subscribed' | 'unsubscribed'
  }
} | {
  readonly email_subscription_status: {
    readonly comparison: 'is' | 'is_not'
    readonly value: 'opted_in' | 'subscribed' | 'unsubscribed'
  }
} | {
  readonly last_used_app: {
    readonly app_id?: string
    readonly comparison: 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before' | 'exists' | 'does_not_exist'
    readonly value?: number | string
  }
} | {
  readonly standard_attribute: {
    readonly name: 'external_id' | 'email' | 'phone' | 'first_name' | 'last_name' | 'gender' | 'dob' | 'country' | 'home_city' | 'language' | 'time_zone'
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'exists' | 'does_not_exist'
    readonly value?: string
  } | {
    readonly name: 'created_at' | 'marked_email_as_spam_at' | 'date_of_first_session' | 'date_of_last_session'
    readonly comparison: 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before' | 'exists' | 'does_not_exist'
    readonly value?: number | string
  }
} | {
  readonly subscription_group: {
    readonly subscription_group_id: string
    readonly comparison: 'is' | 'is_not'
    readonly value: 'subscribed' | 'unsubscribed'
  }
} | {
  readonly cohort: {
    readonly partner: string
    readonly cohort_id: string
    readonly comparison?: 'is' | 'is_not'
  }
} | {
  readonly first_used_app: {
    readonly app_id?: string
    readonly comparison: 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before' | 'exists' | 'does_not_exist'
    readonly value?: number | string
  }
} | {
  readonly device: {
    readonly name: 'model' | 'os' | 'carrier'
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'exists' | 'does_not_exist'
    readonly value?: string
  }
} | {
  readonly custom_event: {
    readonly name?: string
    readonly days?: number
    readonly properties?: readonly ({
      readonly name: string
      readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
      readonly value?: string | number | boolean
    })[]
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
    readonly value?: number
  }
} | {
  readonly purchase: {
    readonly product_id?: string
    readonly days?: number
    readonly properties?: readonly ({
      readonly name: string
      readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
      readonly value?: string | number | boolean
    })[]
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
    readonly value?: number
  }
} | {
  readonly first_custom_event: {
    readonly name?: string
    readonly properties?: readonly ({
      readonly name: string
      readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
      readonly value?: string | number | boolean
    })[]
    readonly comparison: 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before'
    readonly value: number | string
  }
} | {
  readonly last_custom_event: {
    readonly name?: string
    readonly properties?: readonly ({
      readonly name: string
      readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
      readonly value?: string | number | boolean
    })[]
    readonly comparison: 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before'
    readonly value: number | string
  }
} | {
  readonly first_purchase: {
    readonly product_id?: string
    readonly properties?: readonly ({
      readonly name: string
      readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
      readonly value?: string | number | boolean
    })[]
    readonly comparison: 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before'
    readonly value: number | string
  }
} | {
  readonly last_purchase: {
    readonly product_id?: string
    readonly properties?: readonly ({
      readonly name: string
      readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'matches_regex' | 'does_not_match_regex' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
      readonly value?: string | number | boolean
    })[]
    readonly comparison: 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before'
    readonly value: number | string
  }
} | {
  readonly total_revenue: {
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to'
    readonly value: number
  }
} | {
  readonly random_bucket: {
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to'
    readonly value: number
  }
} | {
  readonly session_count: {
    readonly only_with_sessions?: boolean
    readonly comparison: 'equals' | 'not_equal' | 'does_not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to'
    readonly value: number
  }
} | {
  readonly last_received_message: {
    readonly channel?: 'email' | 'webhook'
    readonly comparison: 'less_than_x_days_ago' | 'greater_than_x_days_ago' | 'less_than_x_days_in_the_future' | 'greater_than_x_days_in_the_future' | 'after' | 'before' | 'exists' | 'does_not_exist'
    readonly value?: number | string
  }
} | {
  readonly segment: {
    readonly segment_id: string
    readonly comparison?: 'is' | 'is_not'
  }
} | { readonly AND: readonly Condition[] } | { readonly OR: readonly Condition[] } | { readonly NOT: Condition }

export type StoredSegment = { readonly segment_id: string }

export type FlowTrigger = string | EventTrigger | PurchaseTrigger

export type EventTrigger = {
  readonly event: string
  readonly properties?: { readonly [name: string]: string | number | boolean | {
    readonly comparison: 'equals' | 'not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
    readonly value?: string | number | boolean
  } }
  readonly same?: readonly string[]
}

export type PurchaseTrigger = {
  readonly purchase: string
  readonly properties?: { readonly [name: string]: string | number | boolean | {
    readonly comparison: 'equals' | 'not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
    readonly value?: string | number | boolean
  } }
  readonly same?: readonly string[]
}

export type FlowEmail = {
  readonly app_id: string
  readonly from: string
  readonly subject?: string
  readonly reply_to?: string | null
  readonly bcc?: string
  readonly body?: string
  readonly plaintext_body?: string
  readonly preheader?: string
  readonly email_template_id?: string
  readonly message_variation_id?: string
  readonly extras?: { readonly [name: string]: unknown }
  readonly headers?: { readonly [name: string]: string }
  readonly should_inline_css?: boolean
  readonly attachments?: readonly {
    readonly file_name: string
    readonly url: string
    readonly basic_auth_credential?: string
  }[]
}

export type FlowEntry = {
  readonly by?: readonly ('api' | 'event' | 'schedule')[]
  readonly event?: string | EventTrigger | PurchaseTrigger | {
    readonly name: string
    readonly properties?: { readonly [name: string]: string | number | boolean | {
      readonly comparison: 'equals' | 'not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
      readonly value?: string | number | boolean
    } }
  }
  readonly schedule?: FlowRecurrence
  readonly again?: 'never' | 'always' | { readonly after: string }
}

export type FlowExit = {
  readonly events?: readonly FlowTrigger[]
  readonly segment?: Condition | StoredSegment
  readonly audience?: Condition | StoredSegment
}

export type FlowConversion = {
  readonly name?: string
  readonly on: string | EventTrigger | PurchaseTrigger | { readonly opened: 'email' } | { readonly clicked: 'email' }
  readonly within: string
}

export type FlowRecurrence = {
  readonly at: string
  readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  readonly zone?: string
  readonly from?: string
  readonly until?: string
}

export type FlowStep = MessageStep | DelayStep | DecisionStep | PathsStep | ActionPathsStep | ExperimentStep | UpdateUserStep | WebhookStep

export type FlowVariant = {
  readonly name?: string
  readonly percent?: number
  readonly first: string
}

export type CampaignMessage = {
  readonly id?: string
  readonly name?: string
  readonly percent?: number
  readonly email?: FlowEmail
  readonly sms?: {
    readonly body: string
    readonly subscription_group_id: string
    readonly from?: string
    readonly app_id?: string
    readonly message_variation_id?: string
  }
  readonly web_push?: {
    readonly alert: string
    readonly title?: string
    readonly extra?: { readonly [name: string]: unknown }
    readonly custom_uri?: string
    readonly image_url?: string
    readonly time_to_live?: number
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    readonly large_image_url?: string
    readonly require_interaction?: boolean
  }
  readonly apple_push?: {
    readonly alert: string
    readonly title?: string
    readonly extra?: { readonly [name: string]: unknown }
    readonly custom_uri?: string
    readonly image_url?: string
    readonly time_to_live?: number
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    readonly sound?: string
    readonly badge?: number
    readonly category?: string
    readonly collapse_id?: string
    readonly notification_group_thread_id?: string
  }
  readonly android_push?: {
    readonly alert: string
    readonly title?: string
    readonly extra?: { readonly [name: string]: unknown }
    readonly custom_uri?: string
    readonly image_url?: string
    readonly time_to_live?: number
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    readonly sound?: string
    readonly collapse_key?: string
    readonly notification_channel_id?: string
    readonly android_priority?: 'normal' | 'high'
  }
  readonly webhook?: {
    readonly url: string
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    readonly headers?: { readonly [name: string]: string | {
      readonly credential: string
      readonly scheme?: 'basic' | 'bearer' | 'plain'
    } | { readonly sealed: true } }
    readonly body?: unknown
    readonly message_variation_id?: string
  }
}

export type MessageStep = {
  readonly id: string
  readonly name?: string
  readonly type: 'message'
  readonly channel?: 'email' | 'sms' | 'web_push' | 'apple_push' | 'android_push' | 'webhook'
  readonly message: FlowEmail | {
    readonly body: string
    readonly subscription_group_id: string
    readonly from?: string
    readonly app_id?: string
    readonly message_variation_id?: string
  } | {
    readonly alert: string
    readonly title?: string
    readonly extra?: { readonly [name: string]: unknown }
    readonly custom_uri?: string
    readonly image_url?: string
    readonly time_to_live?: number
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    readonly large_image_url?: string
    readonly require_interaction?: boolean
  } | {
    readonly alert: string
    readonly title?: string
    readonly extra?: { readonly [name: string]: unknown }
    readonly custom_uri?: string
    readonly image_url?: string
    readonly time_to_live?: number
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    readonly sound?: string
    readonly badge?: number
    readonly category?: string
    readonly collapse_id?: string
    readonly notification_group_thread_id?: string
  } | {
    readonly alert: string
    readonly title?: string
    readonly extra?: { readonly [name: string]: unknown }
    readonly custom_uri?: string
    readonly image_url?: string
    readonly time_to_live?: number
    readonly send_to_most_recent_device_only?: boolean
    readonly message_variation_id?: string
    readonly sound?: string
    readonly collapse_key?: string
    readonly notification_channel_id?: string
    readonly android_priority?: 'normal' | 'high'
  } | {
    readonly url: string
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    readonly headers?: { readonly [name: string]: string | {
      readonly credential: string
      readonly scheme?: 'basic' | 'bearer' | 'plain'
    } | { readonly sealed: true } }
    readonly body?: unknown
    readonly message_variation_id?: string
  }
  readonly next?: string
}

export type DelayStep = {
  readonly id: string
  readonly name?: string
  readonly type: 'delay'
  readonly for?: string
  readonly until?: string
  readonly weekdays?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  readonly next?: string
}

export type DecisionStep = {
  readonly id: string
  readonly name?: string
  readonly type: 'decision'
  readonly segment?: Condition | StoredSegment
  readonly audience?: Condition | StoredSegment
  readonly yes?: string
  readonly no?: string
}

export type PathsStep = {
  readonly id: string
  readonly name?: string
  readonly type: 'paths'
  readonly paths: readonly ({
    readonly name?: string
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly next?: string
  })[]
  readonly otherwise?: string
}

export type ActionPathsStep = {
  readonly id: string
  readonly name?: string
  readonly type: 'action_paths'
  readonly within: string
  readonly paths: readonly ({
    readonly name?: string
    readonly event?: string
    readonly purchase?: string
    readonly properties?: { readonly [name: string]: string | number | boolean | {
      readonly comparison: 'equals' | 'not_equal' | 'greater_than' | 'greater_than_or_equal_to' | 'less_than' | 'less_than_or_equal_to' | 'exists' | 'does_not_exist'
      readonly value?: string | number | boolean
    } }
    readonly same?: readonly string[]
    readonly next?: string
  })[]
  readonly otherwise?: string
}

export type ExperimentStep = {
  readonly id: string
  readonly name?: string
  readonly type: 'experiment'
  readonly paths: readonly {
    readonly name?: string
    readonly percent: number
    readonly next?: string
  }[]
}

export type UpdateUserStep = {
  readonly id: string
  readonly name?: string
  readonly type: 'update_user'
  readonly attributes: { readonly [name: string]: unknown }
  readonly next?: string
}

export type WebhookStep = {
  readonly id: string
  readonly name?: string
  readonly type: 'webhook'
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: { readonly [name: string]: string | {
    readonly credential: string
    readonly scheme?: 'basic' | 'bearer' | 'plain'
  } | { readonly sealed: true } }
  readonly body?: unknown
  readonly next?: string
}

export type GetAdminSessionReply = {
  readonly account: {
    readonly id: string
    readonly user_name: string
    readonly given_name: string
    readonly family_name: string
    readonly department: string | null
    readonly last_sign_in_at: string | null
    readonly permissions: { readonly [name: string]: unknown }
  } | null
  readonly csrf_token: string | null
  readonly abilities: readonly string[]
  readonly workspaces: readonly {
    readonly id: string
    readonly name: string
    readonly time_zone: string
    readonly abilities: readonly string[]
  }[]
  readonly message: 'success'
}

/** Read the account that makes the request, with its abilities. */
export function getAdminSession(): Operation<GetAdminSessionReply> {
  return { method: 'GET', path: '/admin/session' }
}

export type GetAdminClockReply = {
  readonly now: string
  readonly clock: 'system' | 'virtual'
  readonly next?: { readonly at: string; readonly what: string }
  readonly moving_to?: string
  readonly done?: {
    readonly messages: { readonly [name: string]: number }
    readonly entries_moved: number
  }
  readonly message: 'success'
}

/** Read the business time of the service, and what becomes due next. */
export function getAdminClock(): Operation<GetAdminClockReply> {
  return { method: 'GET', path: '/admin/clock' }
}

export type GetAdminAboutReply = {
  readonly version: string
  readonly database: string
  readonly service_name: string
  readonly message: 'success'
}

/** Read the version of Easel, the kind of its database and the name of the service. */
export function getAdminAbout(): Operation<GetAdminAboutReply> {
  return { method: 'GET', path: '/admin/about' }
}

export type GetAdminOverviewReply = {
  readonly at: string
  readonly clock_at: string
  readonly sentence: string
  readonly is_well: boolean
  readonly attention: readonly ({
    readonly kind: 'mail_server' | 'late' | 'failed_requests' | 'uncertain' | 'set_aside' | 'paused_canvas' | 'paused_campaign' | 'paused_dispatch'
    readonly sentence: string
    readonly id: string | null
  })[]
  readonly people: { readonly count: number; readonly is_estimate: boolean }
  readonly updates_a_minute: number
  readonly requests: {
    readonly ok: number
    readonly refused: number
    readonly failed: number
    readonly updates: number
    readonly step_ms: number
    readonly columns: readonly {
      readonly at: string
      readonly ok: number
      readonly refused: number
      readonly failed: number
      readonly updates: number
    }[]
    readonly routes: readonly {
      readonly route: string
      readonly count: number
      readonly refused: number
      readonly failed: number
      readonly items: number
      readonly mean_ms: number
    }[]
  }
  readonly outcomes: {
    readonly sent: number
    readonly waiting: number
    readonly held: number
    readonly control: number
    readonly failed: number
    readonly uncertain: number
    readonly step_ms: number
    readonly columns: readonly {
      readonly at: string
      readonly sent: number
      readonly waiting: number
      readonly held: number
      readonly control: number
      readonly failed: number
      readonly uncertain: number
    }[]
    readonly channels: readonly {
      readonly channel: string
      readonly words: string
      readonly sent: number
      readonly waiting: number
      readonly held: number
      readonly control: number
      readonly failed: number
      readonly uncertain: number
      readonly tried: number
    }[]
  }
  readonly due: readonly ({
    readonly work: 'slots' | 'entries' | 'messages' | 'people'
    readonly waiting: number
    readonly is_more: boolean
    readonly next_at: string | null
    readonly late_ms: number
  })[]
  readonly under_way: readonly ({
    readonly dispatch_id: string
    readonly schedule_id: string | null
    readonly state: 'waiting' | 'running' | 'paused' | 'cancelled' | 'done'
    readonly sentence: string
    readonly what: string
    readonly recipient_words: string
    readonly to_go: number
    readonly outcomes: readonly ({
      readonly reason: string | null
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
      readonly has_messages: boolean
    })[]
    readonly actions: readonly ('pause' | 'resume' | 'cancel' | 'send-missed')[]
    readonly class: 'transactional' | 'marketing'
    readonly send_id: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly resumed_at: string | null
    readonly schedule: {
      readonly time: string
      readonly in_local_time: boolean
      readonly at_optimal_time: boolean
      readonly dropped_offset?: string
    } | null
    readonly recipients: {
      readonly named: number | null
      readonly segment_id: string | null
      readonly audience: boolean
      readonly broadcast: boolean
    }
    readonly subject: string | null
    readonly next_due_at: string | null
    readonly found: number
    readonly unknown: number
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string | null
      readonly by: 'api' | 'schedule'
    } | null
    readonly entries: { readonly [name: string]: number }
    readonly messages: {
      readonly queued?: number
      readonly held?: number
      readonly leased?: number
      readonly handed_over?: number
      readonly accepted?: number
      readonly suppressed?: number
      readonly aborted?: number
      readonly cancelled?: number
      readonly missed?: number
      readonly bounced?: number
      readonly failed?: number
      readonly uncertain?: number
    }
    readonly reasons: {
      readonly sent?: number
      readonly no_such_user?: number
      readonly no_address?: number
      readonly not_in_segment?: number
      readonly not_in_audience?: number
      readonly unsubscribed?: number
      readonly group_unsubscribed?: number
      readonly not_confirmed?: number
      readonly suppressed?: number
      readonly frequency_capped?: number
      readonly quiet_hours?: number
      readonly control_group?: number
      readonly global_control_group?: number
      readonly already_entered?: number
      readonly local_time_passed?: number
      readonly missed?: number
      readonly cancelled?: number
      readonly canvas_paused?: number
      readonly aborted_by_template?: number
      readonly template_error?: number
      readonly attachment_failed?: number
      readonly set_aside?: number
      readonly refused_by_server?: number
      readonly expired?: number
      readonly uncertain?: number
      readonly exited?: number
      readonly merged?: number
      readonly deleted?: number
    }
  })[]
  readonly message: 'success'
}

export type GetAdminOverviewQuery = {
  readonly workspace?: string | undefined
  readonly hours?: number | undefined
}

/** Read how a workspace is doing: what needs attention, its requests, messages and due work. */
export function getAdminOverview(query: GetAdminOverviewQuery = {}): Operation<GetAdminOverviewReply> {
  return { method: 'GET', path: withQuery('/admin/overview', query) }
}

export const getAdminOverviewLimits = { hours: { minimum: 1, maximum: 168 } } as const

export type PostAdminDemoReply = {
  readonly workspace: { readonly id: string; readonly name: string }
  readonly people: number
  readonly events: number
  readonly purchases: number
  readonly sentence: string
  readonly message: 'success'
}

/** Make the workspace demo: a thousand invented people of a shop, and what happened in 90 days. */
export function postAdminDemo(): Operation<PostAdminDemoReply> {
  return { method: 'POST', path: '/admin/demo' }
}

export type PostAdminClockReply = {
  readonly now: string
  readonly clock: 'system' | 'virtual'
  readonly next?: { readonly at: string; readonly what: string }
  readonly moving_to?: string
  readonly done?: {
    readonly messages: { readonly [name: string]: number }
    readonly entries_moved: number
  }
  readonly message: 'success'
}

export type PostAdminClockBody = {
  readonly now?: string
  readonly advance?: string
  readonly to?: 'next'
}

/** Move the virtual clock and do the work that becomes due. */
export function postAdminClock(body: PostAdminClockBody): Operation<PostAdminClockReply> {
  return { method: 'POST', path: '/admin/clock', body }
}

export type GetAdminPeopleSearchReply = {
  readonly people: readonly ({
    readonly id: string
    readonly external_id: string | null
    readonly first_name: string | null
    readonly last_name: string | null
    readonly email: string | null
    readonly email_subscribe: 'opted_in' | 'subscribed' | 'unsubscribed'
    readonly phone: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly found_by: readonly ('id' | 'external_id' | 'email' | 'phone' | 'alias' | 'device')[]
  })[]
  readonly cursor: string | null
  readonly message: 'success'
}

export type GetAdminPeopleSearchQuery = {
  readonly workspace?: string | undefined
  readonly q?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Find people by an identifier, or list everybody, newest first. */
export function getAdminPeopleSearch(query: GetAdminPeopleSearchQuery = {}): Operation<GetAdminPeopleSearchReply> {
  return { method: 'GET', path: withQuery('/admin/people/search', query) }
}

export const getAdminPeopleSearchLimits = { q: { maxLength: 1000 }, limit: { minimum: 1, maximum: 100 } } as const

export type GetAdminPeopleIdReply = {
  readonly person: {
    readonly id: string
    readonly external_id: string | null
    readonly first_name: string | null
    readonly last_name: string | null
    readonly email: string | null
    readonly email_subscribe: 'opted_in' | 'subscribed' | 'unsubscribed'
    readonly phone: string | null
    readonly created_at: string
    readonly updated_at: string
  }
  readonly sentence: string
  readonly merged_from: string | null
  readonly email_suppressions: readonly ('hard_bounce' | 'spam' | 'soft_bounces' | 'blocklist')[]
  readonly subscription_groups: readonly ({
    readonly id: string
    readonly name: string
    readonly channel: string
    readonly status: 'Subscribed' | 'Unsubscribed'
  })[]
  readonly confirmations: readonly ({
    readonly subscription_group_id: string
    readonly group: string
    readonly state: 'pending' | 'confirmed' | 'expired'
    readonly sentence: string
    readonly address: string
    readonly keyword: string | null
    readonly source: 'form' | 'api' | 'preferences'
    readonly form_id: string | null
    readonly requested_at: string
    readonly requested_from: string | null
    readonly sent_at: string
    readonly sent_count: number
    readonly expires_at: string
    readonly confirmed_at: string | null
    readonly confirmed_from: string | null
  })[]
  readonly cohorts: readonly {
    readonly partner: string
    readonly cohort_id: string
    readonly name: string
  }[]
  readonly record: {
    readonly created_at?: string
    readonly external_id?: string
    readonly user_aliases?: readonly {
      readonly alias_name: string
      readonly alias_label: string
    }[]
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
    readonly last_coordinates?: readonly number[]
    readonly custom_attributes?: { readonly [name: string]: unknown }
    readonly custom_events?: readonly {
      readonly name: string
      readonly first: string
      readonly last: string
      readonly count: number
    }[]
    readonly purchases?: readonly {
      readonly name: string
      readonly first: string
      readonly last: string
      readonly count: number
    }[]
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
      readonly engaged?: {
        readonly opened_email: boolean
        readonly clicked_email: boolean
      }
      readonly converted?: boolean
      readonly multiple_converted?: { readonly [name: string]: boolean }
      readonly variation_name?: string
      readonly variation_api_id?: string
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
    readonly cards_clicked?: readonly { readonly name: string }[]
    readonly uninstalled_at?: string
    readonly [name: string]: unknown
  }
  readonly list_totals: { readonly [name: string]: number }
  readonly message: 'success'
}

export type GetAdminPeopleIdQuery = {
  readonly workspace?: string | undefined
}

/** Read everything that is kept about one person. */
export function getAdminPeopleId(id: string, query: GetAdminPeopleIdQuery = {}): Operation<GetAdminPeopleIdReply> {
  return { method: 'GET', path: withQuery(`/admin/people/${encodeURIComponent(id)}`, query) }
}

export type GetAdminRequestsReply = {
  readonly requests: readonly ({
    readonly id: string
    readonly at: string
    readonly method: string
    readonly path: string
    readonly status: number
    readonly ms: number
    readonly key: string | null
    readonly by: 'key' | 'admin' | 'account' | 'nobody'
    readonly items: number | null
    readonly refusal: string | null
  })[]
  readonly process: string
  readonly recording: boolean
  readonly cursor: string | null
  readonly message: 'success'
}

export type GetAdminRequestsQuery = {
  readonly workspace?: string | undefined
  readonly status?: '2xx' | '3xx' | '4xx' | '5xx' | undefined
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  readonly path?: string | undefined
  readonly key?: string | undefined
  readonly request_id?: string | undefined
  readonly text?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List the latest requests of a workspace with their answers, newest first. */
export function getAdminRequests(query: GetAdminRequestsQuery = {}): Operation<GetAdminRequestsReply> {
  return { method: 'GET', path: withQuery('/admin/requests', query) }
}

export const getAdminRequestsLimits = {
  path: { maxLength: 500 },
  key: { maxLength: 500 },
  request_id: { maxLength: 500 },
  text: { maxLength: 500 },
  limit: { minimum: 1, maximum: 200 },
} as const

export type GetAdminRequestsIdReply = {
  readonly request: {
    readonly id: string
    readonly at: string
    readonly method: string
    readonly path: string
    readonly status: number
    readonly ms: number
    readonly key: string | null
    readonly by: 'key' | 'admin' | 'account' | 'nobody'
    readonly items: number | null
    readonly refusal: string | null
  }
  readonly process: string
  readonly clock_at: string
  readonly ip: string
  readonly sent: {
    readonly headers: { readonly [name: string]: string }
    readonly body: {
      readonly text: string | null
      readonly bytes: number
      readonly is_cut: boolean
    }
  }
  readonly answered: {
    readonly headers: { readonly [name: string]: string }
    readonly body: {
      readonly text: string | null
      readonly bytes: number
      readonly is_cut: boolean
    }
  }
  readonly message: 'success'
}

export type GetAdminRequestsIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the latest requests with its answer. */
export function getAdminRequestsId(id: string, query: GetAdminRequestsIdQuery = {}): Operation<GetAdminRequestsIdReply> {
  return { method: 'GET', path: withQuery(`/admin/requests/${encodeURIComponent(id)}`, query) }
}

export type GetAdminWorkReply = {
  readonly work: readonly ({
    readonly request_id: string
    readonly position: number
    readonly kind: 'merge' | 'delete' | 'identify'
    readonly state: 'waiting' | 'moving' | 'done'
    readonly outcome: 'done' | 'nobody_matched' | 'several_matched' | 'same_person' | 'already_identified' | 'label_taken' | 'discarded' | 'failed' | null
    readonly asked: { readonly [name: string]: unknown } | null
    readonly kept: string | null
    readonly merged: string | null
    readonly accepted_at: string
    readonly finished_at: string | null
    readonly who: string | null
    readonly sentence: string
    readonly family: 'waiting' | 'sent' | 'failed' | 'held'
    readonly actions: readonly ('retry' | 'discard')[]
  })[]
  readonly counts: {
    readonly waiting: number
    readonly done: number
    readonly nobody_matched: number
    readonly several_matched: number
    readonly same_person: number
    readonly already_identified: number
    readonly label_taken: number
    readonly discarded: number
    readonly failed: number
  }
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminWorkQuery = {
  readonly workspace?: string | undefined
  readonly kind?: 'merge' | 'delete' | 'identify' | undefined
  readonly state?: 'waiting' | 'moving' | 'done' | undefined
  readonly outcome?: 'done' | 'nobody_matched' | 'several_matched' | 'same_person' | 'already_identified' | 'label_taken' | 'discarded' | 'failed' | undefined
  readonly request_id?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List accepted merges, deletions and identifications with their outcomes. */
export function getAdminWork(query: GetAdminWorkQuery = {}): Operation<GetAdminWorkReply> {
  return { method: 'GET', path: withQuery('/admin/work', query) }
}

export const getAdminWorkLimits = { limit: { minimum: 1, maximum: 100 } } as const

export type PostAdminWorkRequestIdPositionRetryReply = {
  readonly work: {
    readonly request_id: string
    readonly position: number
    readonly kind: 'merge' | 'delete' | 'identify'
    readonly state: 'waiting' | 'moving' | 'done'
    readonly outcome: 'done' | 'nobody_matched' | 'several_matched' | 'same_person' | 'already_identified' | 'label_taken' | 'discarded' | 'failed' | null
    readonly asked: { readonly [name: string]: unknown } | null
    readonly kept: string | null
    readonly merged: string | null
    readonly accepted_at: string
    readonly finished_at: string | null
    readonly who: string | null
    readonly sentence: string
    readonly family: 'waiting' | 'sent' | 'failed' | 'held'
    readonly actions: readonly ('retry' | 'discard')[]
  }
  readonly message: 'success'
}

export type PostAdminWorkRequestIdPositionRetryQuery = {
  readonly workspace?: string | undefined
}

/** Try a merge, deletion or identification again that has changed nothing. */
export function postAdminWorkRequestIdPositionRetry(request_id: string, position: string, query: PostAdminWorkRequestIdPositionRetryQuery = {}): Operation<PostAdminWorkRequestIdPositionRetryReply> {
  return { method: 'POST', path: withQuery(`/admin/work/${encodeURIComponent(request_id)}/${encodeURIComponent(position)}/retry`, query) }
}

export type PostAdminWorkRequestIdPositionDiscardReply = {
  readonly work: {
    readonly request_id: string
    readonly position: number
    readonly kind: 'merge' | 'delete' | 'identify'
    readonly state: 'waiting' | 'moving' | 'done'
    readonly outcome: 'done' | 'nobody_matched' | 'several_matched' | 'same_person' | 'already_identified' | 'label_taken' | 'discarded' | 'failed' | null
    readonly asked: { readonly [name: string]: unknown } | null
    readonly kept: string | null
    readonly merged: string | null
    readonly accepted_at: string
    readonly finished_at: string | null
    readonly who: string | null
    readonly sentence: string
    readonly family: 'waiting' | 'sent' | 'failed' | 'held'
    readonly actions: readonly ('retry' | 'discard')[]
  }
  readonly message: 'success'
}

export type PostAdminWorkRequestIdPositionDiscardQuery = {
  readonly workspace?: string | undefined
}

/** End a merge, deletion or identification that waits, without carrying it out. */
export function postAdminWorkRequestIdPositionDiscard(request_id: string, position: string, query: PostAdminWorkRequestIdPositionDiscardQuery = {}): Operation<PostAdminWorkRequestIdPositionDiscardReply> {
  return { method: 'POST', path: withQuery(`/admin/work/${encodeURIComponent(request_id)}/${encodeURIComponent(position)}/discard`, query) }
}

export type GetAdminPeopleIdTimelineReply = {
  readonly id: string
  readonly merged_from: string | null
  readonly time_zone: string
  readonly items: readonly ({
    readonly at: string
    readonly kind: 'event' | 'purchase' | 'session' | 'message' | 'decision' | 'engagement' | 'flow' | 'work'
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain' | null
    readonly sentence: string
    readonly detail: string | null
    readonly reason: string | null
    readonly message_id: string | null
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string
    } | null
    readonly step: string | null
    readonly entry_id: string | null
    readonly dispatch_id: string | null
    readonly request_id: string | null
  })[]
  readonly searched_until: string | null
  readonly cursor: string | null
  readonly message: 'success'
}

export type GetAdminPeopleIdTimelineQuery = {
  readonly workspace?: string | undefined
  readonly kinds?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Read what happened to one person, newest first. */
export function getAdminPeopleIdTimeline(id: string, query: GetAdminPeopleIdTimelineQuery = {}): Operation<GetAdminPeopleIdTimelineReply> {
  return { method: 'GET', path: withQuery(`/admin/people/${encodeURIComponent(id)}/timeline`, query) }
}

export const getAdminPeopleIdTimelineLimits = { limit: { minimum: 1, maximum: 200 } } as const

export type GetAdminPeopleIdEntriesReply = {
  readonly sentence: string
  readonly entries: readonly ({
    readonly entry_id: string
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string
    }
    readonly version: number
    readonly is_open: boolean
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain' | null
    readonly sentence: string
    readonly step: string | null
    readonly step_name: string | null
    readonly variant_name: string | null
    readonly waits_for: string | null
    readonly until: string | null
    readonly entered_at: string
    readonly ended_at: string | null
  })[]
  readonly has_more: boolean
  readonly message: 'success'
}

export type GetAdminPeopleIdEntriesQuery = {
  readonly workspace?: string | undefined
}

/** List the canvases and campaigns in which one person is or was. */
export function getAdminPeopleIdEntries(id: string, query: GetAdminPeopleIdEntriesQuery = {}): Operation<GetAdminPeopleIdEntriesReply> {
  return { method: 'GET', path: withQuery(`/admin/people/${encodeURIComponent(id)}/entries`, query) }
}

export type PostAdminPeopleIdTrackReply = {
  readonly attributes_processed?: number
  readonly events_processed?: number
  readonly purchases_processed?: number
  readonly errors?: readonly ({
    readonly index: number
    readonly input_array: 'attributes' | 'events' | 'purchases'
    readonly type: string
  })[]
  readonly notices?: readonly {
    readonly index?: number
    readonly input_array?: string
    readonly member: string
    readonly reason: string
  }[]
  readonly further_notices?: number
  readonly message: string
}

export type PostAdminPeopleIdTrackBody = {
  readonly attributes?: {
    readonly external_id?: string | number
    readonly user_alias?: {
      readonly alias_name: string
      readonly alias_label: string
    }
    readonly service_id?: string
    readonly email?: string
    readonly phone?: string
    readonly _update_existing_only?: boolean
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
      readonly device_id?: string
      readonly notifications_enabled?: boolean
    }[]
    readonly push_token_import?: boolean
    readonly facebook?: { readonly [name: string]: unknown }
    readonly twitter?: { readonly [name: string]: unknown }
    readonly [name: string]: unknown
  }
  readonly events?: readonly ({
    readonly external_id?: string | number
    readonly user_alias?: {
      readonly alias_name: string
      readonly alias_label: string
    }
    readonly service_id?: string
    readonly email?: string
    readonly phone?: string
    readonly _update_existing_only?: boolean
    readonly app_id?: string
    readonly time: string
    readonly properties?: { readonly [name: string]: unknown }
    readonly name: string
  })[]
  readonly purchases?: readonly ({
    readonly external_id?: string | number
    readonly user_alias?: {
      readonly alias_name: string
      readonly alias_label: string
    }
    readonly service_id?: string
    readonly email?: string
    readonly phone?: string
    readonly _update_existing_only?: boolean
    readonly app_id?: string
    readonly time: string
    readonly properties?: { readonly [name: string]: unknown }
    readonly product_id: string | number
    readonly currency: string
    readonly price: number
    readonly quantity?: number
  })[]
}

export type PostAdminPeopleIdTrackQuery = {
  readonly workspace?: string | undefined
}

/** Record events and purchases of one person, and update attributes. */
export function postAdminPeopleIdTrack(id: string, body: PostAdminPeopleIdTrackBody, query: PostAdminPeopleIdTrackQuery = {}): Operation<PostAdminPeopleIdTrackReply> {
  return { method: 'POST', path: withQuery(`/admin/people/${encodeURIComponent(id)}/track`, query), body }
}

export type PostAdminPeopleMergeReply = {
  readonly state: 'planned' | 'done' | 'waiting'
  readonly keep: {
    readonly id: string
    readonly external_id: string | null
    readonly first_name: string | null
    readonly last_name: string | null
    readonly email: string | null
    readonly email_subscribe: 'opted_in' | 'subscribed' | 'unsubscribed'
    readonly phone: string | null
    readonly created_at: string
    readonly updated_at: string
  }
  readonly merge: {
    readonly id: string
    readonly external_id: string | null
    readonly first_name: string | null
    readonly last_name: string | null
    readonly email: string | null
    readonly email_subscribe: 'opted_in' | 'subscribed' | 'unsubscribed'
    readonly phone: string | null
    readonly created_at: string
    readonly updated_at: string
  }
  readonly fields: readonly ({
    readonly field: string
    readonly value: unknown
    readonly from: 'keep' | 'merge' | 'both' | 'nobody'
    readonly keep: unknown
    readonly merge: unknown
  })[]
  readonly notes: readonly string[]
  readonly message: 'success'
}

export type PostAdminPeopleMergeBody = { readonly keep: string; readonly merge: string }

export type PostAdminPeopleMergeQuery = {
  readonly workspace?: string | undefined
  readonly plan?: 'true' | 'false' | undefined
}

/** Merge a person into another one, or plan it: what the merged person will have, and from which of the two. */
export function postAdminPeopleMerge(body: PostAdminPeopleMergeBody, query: PostAdminPeopleMergeQuery = {}): Operation<PostAdminPeopleMergeReply> {
  return { method: 'POST', path: withQuery('/admin/people/merge', query), body }
}

export type DeleteAdminPeopleIdReply = {
  readonly state: 'done' | 'waiting'
  readonly outcome: 'done' | 'nobody_matched' | 'several_matched' | 'same_person' | 'already_identified' | 'label_taken' | 'discarded' | 'failed' | null
  readonly message: 'success'
}

export type DeleteAdminPeopleIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete one person. */
export function deleteAdminPeopleId(id: string, query: DeleteAdminPeopleIdQuery = {}): Operation<DeleteAdminPeopleIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/people/${encodeURIComponent(id)}`, query) }
}

export type PostAdminSuppressionsReply = { readonly message: 'success' }

export type PostAdminSuppressionsBody = {
  readonly email: string | readonly string[]
  readonly reason?: 'hard_bounce' | 'spam' | 'soft_bounces' | 'blocklist'
  readonly told?: string
}

export type PostAdminSuppressionsQuery = {
  readonly workspace?: string | undefined
}

/** Suppress addresses. */
export function postAdminSuppressions(body: PostAdminSuppressionsBody, query: PostAdminSuppressionsQuery = {}): Operation<PostAdminSuppressionsReply> {
  return { method: 'POST', path: withQuery('/admin/suppressions', query), body }
}

export type DeleteAdminSuppressionsReply = { readonly message: 'success' }

export type DeleteAdminSuppressionsBody = {
  readonly email: string | readonly string[]
  readonly reason?: 'hard_bounce' | 'spam' | 'soft_bounces' | 'blocklist'
}

export type DeleteAdminSuppressionsQuery = {
  readonly workspace?: string | undefined
}

/** Remove suppressions of addresses. */
export function deleteAdminSuppressions(body: DeleteAdminSuppressionsBody, query: DeleteAdminSuppressionsQuery = {}): Operation<DeleteAdminSuppressionsReply> {
  return { method: 'DELETE', path: withQuery('/admin/suppressions', query), body }
}

export type GetAdminWhyReply = {
  readonly people: readonly { readonly [name: string]: unknown }[]
  readonly confirmations?: readonly ({
    readonly person: string
    readonly subscription_group_id: string
    readonly group: string
    readonly state: 'pending' | 'expired'
    readonly sentence: string
    readonly dispatch_id: string
    readonly expires_at: string
  })[]
  readonly reason?: 'no_such_user'
  readonly because?: string
  readonly sentence: string
  readonly canvas?: {
    readonly kind: string
    readonly id: string
    readonly name: string
    readonly state: string
    readonly version: number
  }
  readonly campaign?: {
    readonly kind: string
    readonly id: string
    readonly name: string
    readonly state: string
    readonly version: number
  }
  readonly entries?: readonly ({
    readonly entry_id: string
    readonly person: string
    readonly version: number
    readonly state: string
    readonly ended: string | null
    readonly because: string | null
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
    readonly timing: {
      readonly hour: number
      readonly due_at: string
      readonly source: string
    } | null
    readonly entered_at: string
    readonly ended_at: string | null
    readonly dispatch_id: string | null
  })[]
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
  readonly never_entered?: readonly ({
    readonly person: string
    readonly reason: 'sent' | 'no_such_user' | 'no_address' | 'not_in_segment' | 'not_in_audience' | 'unsubscribed' | 'group_unsubscribed' | 'not_confirmed' | 'suppressed' | 'frequency_capped' | 'quiet_hours' | 'control_group' | 'global_control_group' | 'already_entered' | 'local_time_passed' | 'missed' | 'cancelled' | 'canvas_paused' | 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'set_aside' | 'refused_by_server' | 'expired' | 'uncertain' | 'exited' | 'merged' | 'deleted' | null
    readonly because: string
    readonly sentence: string
    readonly moments: readonly ({
      readonly at: string
      readonly what: string
      readonly dispatch_id: string | null
      readonly version: number | null
      readonly in_segment: boolean | null
      readonly in_audience: boolean | null
      readonly sentence: string
      readonly because: unknown
    })[]
  })[]
  readonly open: readonly ({
    readonly person: string | null
    readonly channel: string | null
    readonly sentence: string
    readonly waits_for: string
    readonly until: string | null
    readonly dispatch: {
      readonly dispatch_id: string
      readonly schedule_id: string | null
      readonly send_id: string | null
      readonly class: string
      readonly state: string
      readonly asked_at: string
      readonly schedule: { readonly [name: string]: unknown } | null
      readonly segment_id: string | null
      readonly audience: unknown
      readonly broadcast: boolean
      readonly recipient_subscription_state: string | null
    } | null
    readonly flow: {
      readonly kind: string
      readonly id: string
      readonly name: string
      readonly step: string | null
      readonly visit: number
      readonly entry_id: string | null
    } | null
    readonly message: {
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
        readonly kind: string
        readonly url: string | null
        readonly first_at: string
        readonly last_at: string
        readonly count: number
      })[]
    } | null
  })[]
  readonly decisions: readonly ({
    readonly at: string
    readonly person: string | null
    readonly channel: string | null
    readonly reason: 'sent' | 'no_such_user' | 'no_address' | 'not_in_segment' | 'not_in_audience' | 'unsubscribed' | 'group_unsubscribed' | 'not_confirmed' | 'suppressed' | 'frequency_capped' | 'quiet_hours' | 'control_group' | 'global_control_group' | 'already_entered' | 'local_time_passed' | 'missed' | 'cancelled' | 'canvas_paused' | 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'set_aside' | 'refused_by_server' | 'expired' | 'uncertain' | 'exited' | 'merged' | 'deleted'
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
    readonly because: string
    readonly sentence: string
    readonly rule: string | null
    readonly inputs: unknown
    readonly asked: { readonly [name: string]: unknown } | null
    readonly dispatch: {
      readonly dispatch_id: string
      readonly schedule_id: string | null
      readonly send_id: string | null
      readonly class: string
      readonly state: string
      readonly asked_at: string
      readonly schedule: { readonly [name: string]: unknown } | null
      readonly segment_id: string | null
      readonly audience: unknown
      readonly broadcast: boolean
      readonly recipient_subscription_state: string | null
    } | null
    readonly flow: {
      readonly kind: string
      readonly id: string
      readonly name: string
      readonly step: string | null
      readonly visit: number
      readonly entry_id: string | null
    } | null
    readonly message: {
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
        readonly kind: string
        readonly url: string | null
        readonly first_at: string
        readonly last_at: string
        readonly count: number
      })[]
    } | null
  })[]
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminWhyQuery = {
  readonly workspace?: string | undefined
  readonly external_id?: string | undefined
  readonly user_alias?: string | undefined
  readonly alias_name?: string | undefined
  readonly alias_label?: string | undefined
  readonly email?: string | undefined
  readonly service_id?: string | undefined
  readonly person?: string | undefined
  readonly dispatch_id?: string | undefined
  readonly canvas_id?: string | undefined
  readonly campaign_id?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Explain why a person got a message or did not. */
export function getAdminWhy(query: GetAdminWhyQuery = {}): Operation<GetAdminWhyReply> {
  return { method: 'GET', path: withQuery('/admin/why', query) }
}

export const getAdminWhyLimits = { limit: { minimum: 1, maximum: 200 } } as const

export type GetAdminSegmentsIdWhyReply = {
  readonly segment: {
    readonly id: string
    readonly name: string
    readonly words: string
  }
  readonly person: {
    readonly external_id: string | null
    readonly email: string | null
    readonly phone: string | null
    readonly first_name: string | null
    readonly last_name: string | null
    readonly user_aliases: readonly {
      readonly alias_name: string
      readonly alias_label: string
    }[]
    readonly created_at: string
    readonly [name: string]: unknown
  } | null
  readonly in: boolean
  readonly reason: 'in_segment' | 'not_in_segment' | 'no_such_user'
  readonly sentence: string
  readonly because: { readonly [name: string]: unknown } | null
  readonly message: 'success'
}

export type GetAdminSegmentsIdWhyQuery = {
  readonly workspace?: string | undefined
  readonly external_id?: string | undefined
  readonly alias_name?: string | undefined
  readonly alias_label?: string | undefined
  readonly email?: string | undefined
  readonly service_id?: string | undefined
  readonly person?: string | undefined
}

/** Explain why a person is in a segment or not, condition by condition. */
export function getAdminSegmentsIdWhy(id: string, query: GetAdminSegmentsIdWhyQuery = {}): Operation<GetAdminSegmentsIdWhyReply> {
  return { method: 'GET', path: withQuery(`/admin/segments/${encodeURIComponent(id)}/why`, query) }
}

export type GetAdminCanvasesReply = {
  readonly canvases: readonly ({
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly variants?: readonly FlowVariant[]
    readonly first?: string
    readonly steps: readonly FlowStep[]
  })[]
  readonly message: 'success'
}

export type GetAdminCanvasesQuery = {
  readonly workspace?: string | undefined
}

/** List the canvases of a workspace. */
export function getAdminCanvases(query: GetAdminCanvasesQuery = {}): Operation<GetAdminCanvasesReply> {
  return { method: 'GET', path: withQuery('/admin/canvases', query) }
}

export type GetAdminCampaignsReply = {
  readonly campaigns: readonly ({
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly messages: readonly CampaignMessage[]
  })[]
  readonly message: 'success'
}

export type GetAdminCampaignsQuery = {
  readonly workspace?: string | undefined
}

/** List the campaigns of a workspace. */
export function getAdminCampaigns(query: GetAdminCampaignsQuery = {}): Operation<GetAdminCampaignsReply> {
  return { method: 'GET', path: withQuery('/admin/campaigns', query) }
}

export type GetAdminSegmentsReply = {
  readonly segments: readonly {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly audience: Condition
    readonly tags?: readonly string[]
    readonly analytics_tracking_enabled?: boolean
  }[]
  readonly message: 'success'
}

export type GetAdminSegmentsQuery = {
  readonly workspace?: string | undefined
}

/** List the segments of a workspace. */
export function getAdminSegments(query: GetAdminSegmentsQuery = {}): Operation<GetAdminSegmentsReply> {
  return { method: 'GET', path: withQuery('/admin/segments', query) }
}

export type GetAdminSegmentsIdReply = {
  readonly segment: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly audience: Condition
    readonly tags?: readonly string[]
    readonly analytics_tracking_enabled?: boolean
  }
  readonly message: 'success'
}

export type GetAdminSegmentsIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the segments. */
export function getAdminSegmentsId(id: string, query: GetAdminSegmentsIdQuery = {}): Operation<GetAdminSegmentsIdReply> {
  return { method: 'GET', path: withQuery(`/admin/segments/${encodeURIComponent(id)}`, query) }
}

export type PostAdminSegmentsReply = {
  readonly segment: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly audience: Condition
    readonly tags?: readonly string[]
    readonly analytics_tracking_enabled?: boolean
  }
  readonly message: 'success'
}

export type PostAdminSegmentsBody = {
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly audience: Condition
  readonly tags?: readonly string[]
  readonly analytics_tracking_enabled?: boolean
}

export type PostAdminSegmentsQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the segments. */
export function postAdminSegments(body: PostAdminSegmentsBody, query: PostAdminSegmentsQuery = {}): Operation<PostAdminSegmentsReply> {
  return { method: 'POST', path: withQuery('/admin/segments', query), body }
}

export type PatchAdminSegmentsIdReply = {
  readonly segment: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly audience: Condition
    readonly tags?: readonly string[]
    readonly analytics_tracking_enabled?: boolean
  }
  readonly message: 'success'
}

export type PatchAdminSegmentsIdBody = {
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly audience?: Condition
  readonly tags?: readonly string[]
  readonly analytics_tracking_enabled?: boolean
}

export type PatchAdminSegmentsIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the segments. */
export function patchAdminSegmentsId(id: string, body: PatchAdminSegmentsIdBody, query: PatchAdminSegmentsIdQuery = {}): Operation<PatchAdminSegmentsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/segments/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminSegmentsIdReply = unknown

export type DeleteAdminSegmentsIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a segment that no other segment, canvas or campaign uses. */
export function deleteAdminSegmentsId(id: string, query: DeleteAdminSegmentsIdQuery = {}): Operation<DeleteAdminSegmentsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/segments/${encodeURIComponent(id)}`, query) }
}

export type PostAdminAudienceCheckReply = {
  readonly is_valid: boolean
  readonly words: string | null
  readonly parts: readonly { readonly path: string; readonly words: string }[]
  readonly mistakes: readonly { readonly path: string; readonly message: string }[]
  readonly message: 'success'
}

export type PostAdminAudienceCheckBody = { readonly audience: Condition }

export type PostAdminAudienceCheckQuery = {
  readonly workspace?: string | undefined
}

/** Check conditions and say them in words. Mistakes are part of the answer. */
export function postAdminAudienceCheck(body: PostAdminAudienceCheckBody, query: PostAdminAudienceCheckQuery = {}): Operation<PostAdminAudienceCheckReply> {
  return { method: 'POST', path: withQuery('/admin/audience/check', query), body }
}

export type PostAdminAudienceCountReply = {
  readonly count: number
  readonly error: number
  readonly is_exact: boolean
  readonly words: string
  readonly parts: readonly ({
    readonly path: string
    readonly count: number | null
    readonly error: number | null
  })[]
  readonly at: string
  readonly message: 'success'
}

export type PostAdminAudienceCountBody = { readonly audience: Condition; readonly exact?: boolean }

export type PostAdminAudienceCountQuery = {
  readonly workspace?: string | undefined
}

/** Count the people that conditions select, with each part of the conditions. */
export function postAdminAudienceCount(body: PostAdminAudienceCountBody, query: PostAdminAudienceCountQuery = {}): Operation<PostAdminAudienceCountReply> {
  return { method: 'POST', path: withQuery('/admin/audience/count', query), body }
}

export type PostAdminAudienceSampleReply = {
  readonly people: readonly ({
    readonly external_id: string | null
    readonly email: string | null
    readonly phone: string | null
    readonly first_name: string | null
    readonly last_name: string | null
    readonly user_aliases: readonly {
      readonly alias_name: string
      readonly alias_label: string
    }[]
    readonly created_at: string
    readonly [name: string]: unknown
  })[]
  readonly message: 'success'
}

export type PostAdminAudienceSampleBody = { readonly audience: Condition; readonly seed?: number }

export type PostAdminAudienceSampleQuery = {
  readonly workspace?: string | undefined
}

/** List a sample of the people that conditions select. */
export function postAdminAudienceSample(body: PostAdminAudienceSampleBody, query: PostAdminAudienceSampleQuery = {}): Operation<PostAdminAudienceSampleReply> {
  return { method: 'POST', path: withQuery('/admin/audience/sample', query), body }
}

export type PostAdminAudienceWhyReply = {
  readonly words: string
  readonly person: {
    readonly external_id: string | null
    readonly email: string | null
    readonly phone: string | null
    readonly first_name: string | null
    readonly last_name: string | null
    readonly user_aliases: readonly {
      readonly alias_name: string
      readonly alias_label: string
    }[]
    readonly created_at: string
    readonly [name: string]: unknown
  } | null
  readonly in: boolean
  readonly reason: 'in_segment' | 'not_in_segment' | 'no_such_user'
  readonly sentence: string
  readonly because: { readonly [name: string]: unknown } | null
  readonly message: 'success'
}

export type PostAdminAudienceWhyBody = {
  readonly audience: Condition
  readonly person: string | {
    readonly external_id?: string
    readonly alias_name?: string
    readonly alias_label?: string
    readonly email?: string
  }
}

export type PostAdminAudienceWhyQuery = {
  readonly workspace?: string | undefined
}

/** Explain why conditions select a person or not, condition by condition. */
export function postAdminAudienceWhy(body: PostAdminAudienceWhyBody, query: PostAdminAudienceWhyQuery = {}): Operation<PostAdminAudienceWhyReply> {
  return { method: 'POST', path: withQuery('/admin/audience/why', query), body }
}

export type GetAdminNamesReply = {
  readonly names: readonly ({
    readonly name: string
    readonly types: readonly string[]
    readonly share: number
    readonly examples: readonly (string | number | boolean)[]
  })[]
  readonly at: string
  readonly message: 'success'
}

export type GetAdminNamesQuery = {
  readonly workspace?: string | undefined
  readonly kind: 'attribute' | 'event' | 'purchase' | 'property' | 'product'
  readonly of?: string | undefined
  readonly prefix?: string | undefined
}

/** List the names that conditions can use, with the share of people who have them. */
export function getAdminNames(query: GetAdminNamesQuery): Operation<GetAdminNamesReply> {
  return { method: 'GET', path: withQuery('/admin/names', query) }
}

export type GetAdminAppsReply = {
  readonly apps: readonly ({
    readonly id: string
    readonly name: string
    readonly platform: 'android' | 'ios' | 'web' | 'email' | 'sms' | 'server' | 'other'
  })[]
  readonly message: 'success'
}

export type GetAdminAppsQuery = {
  readonly workspace?: string | undefined
}

/** List the apps of a workspace. */
export function getAdminApps(query: GetAdminAppsQuery = {}): Operation<GetAdminAppsReply> {
  return { method: 'GET', path: withQuery('/admin/apps', query) }
}

export type GetAdminCohortsReply = {
  readonly cohorts: readonly {
    readonly partner: string
    readonly cohort_id: string
    readonly name: string
    readonly members: number
    readonly created_at: string
    readonly updated_at: string
  }[]
  readonly message: 'success'
}

export type GetAdminCohortsQuery = {
  readonly workspace?: string | undefined
}

/** List the cohorts of partners with their sizes. */
export function getAdminCohorts(query: GetAdminCohortsQuery = {}): Operation<GetAdminCohortsReply> {
  return { method: 'GET', path: withQuery('/admin/cohorts', query) }
}

export type GetAdminHeadsSegmentsReply = {
  readonly segments: readonly ({
    readonly id: string
    readonly name: string
    readonly description: string
    readonly tags: readonly string[]
    readonly sentence: string
    readonly membership: string
    readonly size: number | null
    readonly size_on: string | null
    readonly updated_at: string
    readonly used_by: readonly ({
      readonly kind: 'segments' | 'email_templates' | 'content_blocks' | 'canvases' | 'campaigns'
      readonly id: string
      readonly name: string
    })[]
    readonly used_by_count: number
  })[]
  readonly message: 'success'
}

export type GetAdminHeadsSegmentsQuery = {
  readonly workspace?: string | undefined
}

/** List all segments without their content, with a few figures. */
export function getAdminHeadsSegments(query: GetAdminHeadsSegmentsQuery = {}): Operation<GetAdminHeadsSegmentsReply> {
  return { method: 'GET', path: withQuery('/admin/heads/segments', query) }
}

export type GetAdminHeadsSubscriptionGroupsReply = {
  readonly subscription_groups: readonly ({
    readonly id: string
    readonly name: string
    readonly channel: 'email' | 'sms'
    readonly archived: boolean
    readonly has_double_opt_in: boolean
    readonly used_by: readonly ({
      readonly kind: 'segments' | 'email_templates' | 'content_blocks' | 'canvases' | 'campaigns'
      readonly id: string
      readonly name: string
    })[]
    readonly used_by_count: number
  })[]
  readonly message: 'success'
}

export type GetAdminHeadsSubscriptionGroupsQuery = {
  readonly workspace?: string | undefined
}

/** List all subscription groups without their content, with a few figures. */
export function getAdminHeadsSubscriptionGroups(query: GetAdminHeadsSubscriptionGroupsQuery = {}): Operation<GetAdminHeadsSubscriptionGroupsReply> {
  return { method: 'GET', path: withQuery('/admin/heads/subscription_groups', query) }
}

export type GetAdminHeadsCanvasesReply = {
  readonly canvases: readonly ({
    readonly id: string
    readonly name: string
    readonly description: string
    readonly tags: readonly string[]
    readonly state: 'draft' | 'active' | 'paused' | 'archived'
    readonly class: 'marketing' | 'transactional'
    readonly version: number
    readonly sentence: string
    readonly waiting: number
    readonly entered: number
    readonly sent: number
    readonly last_sent_at: string | null
    readonly updated_at: string
    readonly draft: {
      readonly base_version: number | null
      readonly author: {
        readonly kind: string
        readonly id: string
        readonly name: string
      }
      readonly updated_at: string
    } | null
  })[]
  readonly drafts: readonly {
    readonly id: string
    readonly name: string
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    }
    readonly updated_at: string
  }[]
  readonly message: 'success'
}

export type GetAdminHeadsCanvasesQuery = {
  readonly workspace?: string | undefined
}

/** List all canvases without their content, with a few figures. */
export function getAdminHeadsCanvases(query: GetAdminHeadsCanvasesQuery = {}): Operation<GetAdminHeadsCanvasesReply> {
  return { method: 'GET', path: withQuery('/admin/heads/canvases', query) }
}

export type GetAdminHeadsCampaignsReply = {
  readonly campaigns: readonly ({
    readonly id: string
    readonly name: string
    readonly description: string
    readonly tags: readonly string[]
    readonly state: 'draft' | 'active' | 'paused' | 'archived'
    readonly class: 'marketing' | 'transactional'
    readonly version: number
    readonly sentence: string
    readonly waiting: number
    readonly entered: number
    readonly sent: number
    readonly last_sent_at: string | null
    readonly updated_at: string
    readonly draft: {
      readonly base_version: number | null
      readonly author: {
        readonly kind: string
        readonly id: string
        readonly name: string
      }
      readonly updated_at: string
    } | null
  })[]
  readonly drafts: readonly {
    readonly id: string
    readonly name: string
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    }
    readonly updated_at: string
  }[]
  readonly message: 'success'
}

export type GetAdminHeadsCampaignsQuery = {
  readonly workspace?: string | undefined
}

/** List all campaigns without their content, with a few figures. */
export function getAdminHeadsCampaigns(query: GetAdminHeadsCampaignsQuery = {}): Operation<GetAdminHeadsCampaignsReply> {
  return { method: 'GET', path: withQuery('/admin/heads/campaigns', query) }
}

export type GetAdminHeadsEmailTemplatesReply = {
  readonly email_templates: readonly ({
    readonly id: string
    readonly name: string
    readonly description: string
    readonly tags: readonly string[]
    readonly subject: string
    readonly updated_at: string
    readonly used_by: readonly ({
      readonly kind: 'segments' | 'email_templates' | 'content_blocks' | 'canvases' | 'campaigns'
      readonly id: string
      readonly name: string
    })[]
    readonly used_by_count: number
  })[]
  readonly message: 'success'
}

export type GetAdminHeadsEmailTemplatesQuery = {
  readonly workspace?: string | undefined
}

/** List all e-mail templates without their content, with a few figures. */
export function getAdminHeadsEmailTemplates(query: GetAdminHeadsEmailTemplatesQuery = {}): Operation<GetAdminHeadsEmailTemplatesReply> {
  return { method: 'GET', path: withQuery('/admin/heads/email_templates', query) }
}

export type GetAdminHeadsContentBlocksReply = {
  readonly content_blocks: readonly ({
    readonly id: string
    readonly name: string
    readonly description: string
    readonly tags: readonly string[]
    readonly state: 'active' | 'draft'
    readonly first_line: string
    readonly updated_at: string
    readonly used_by: readonly ({
      readonly kind: 'segments' | 'email_templates' | 'content_blocks' | 'canvases' | 'campaigns'
      readonly id: string
      readonly name: string
    })[]
    readonly used_by_count: number
  })[]
  readonly message: 'success'
}

export type GetAdminHeadsContentBlocksQuery = {
  readonly workspace?: string | undefined
}

/** List all content blocks without their content, with a few figures. */
export function getAdminHeadsContentBlocks(query: GetAdminHeadsContentBlocksQuery = {}): Operation<GetAdminHeadsContentBlocksReply> {
  return { method: 'GET', path: withQuery('/admin/heads/content_blocks', query) }
}

export type GetAdminHeadsCatalogsReply = {
  readonly catalogs: readonly ({
    readonly id: string
    readonly name: string
    readonly description: string
    readonly items: number
    readonly bytes: number
    readonly fields: number
    readonly updated_at: string
    readonly used_by: readonly ({
      readonly kind: 'segments' | 'email_templates' | 'content_blocks' | 'canvases' | 'campaigns'
      readonly id: string
      readonly name: string
    })[]
    readonly used_by_count: number
  })[]
  readonly message: 'success'
}

export type GetAdminHeadsCatalogsQuery = {
  readonly workspace?: string | undefined
}

/** List all catalogs without their content, with a few figures. */
export function getAdminHeadsCatalogs(query: GetAdminHeadsCatalogsQuery = {}): Operation<GetAdminHeadsCatalogsReply> {
  return { method: 'GET', path: withQuery('/admin/heads/catalogs', query) }
}

export type GetAdminSegmentsIdCountReply = {
  readonly count: number
  readonly without_attribute: number
  readonly message: 'success'
}

export type GetAdminSegmentsIdCountQuery = {
  readonly workspace?: string | undefined
}

/** Count the people of a segment. */
export function getAdminSegmentsIdCount(id: string, query: GetAdminSegmentsIdCountQuery = {}): Operation<GetAdminSegmentsIdCountReply> {
  return { method: 'GET', path: withQuery(`/admin/segments/${encodeURIComponent(id)}/count`, query) }
}

export type GetAdminSegmentsIdSampleReply = {
  readonly people: readonly ({
    readonly external_id: string | null
    readonly email: string | null
    readonly phone: string | null
    readonly first_name: string | null
    readonly last_name: string | null
    readonly user_aliases: readonly {
      readonly alias_name: string
      readonly alias_label: string
    }[]
    readonly created_at: string
    readonly [name: string]: unknown
  })[]
  readonly message: 'success'
}

export type GetAdminSegmentsIdSampleQuery = {
  readonly workspace?: string | undefined
  readonly limit?: number | undefined
  readonly seed?: number | undefined
}

/** List a sample of the people of a segment. */
export function getAdminSegmentsIdSample(id: string, query: GetAdminSegmentsIdSampleQuery = {}): Operation<GetAdminSegmentsIdSampleReply> {
  return { method: 'GET', path: withQuery(`/admin/segments/${encodeURIComponent(id)}/sample`, query) }
}

export const getAdminSegmentsIdSampleLimits = { limit: { minimum: 1, maximum: 100 }, seed: { minimum: 0 } } as const

export type GetAdminSegmentsIdSizesReply = {
  readonly data: readonly { readonly time: string; readonly size: number }[]
  readonly message: string
}

export type GetAdminSegmentsIdSizesQuery = {
  readonly workspace?: string | undefined
  readonly days?: number | undefined
}

/** List the sizes of a segment by day. */
export function getAdminSegmentsIdSizes(id: string, query: GetAdminSegmentsIdSizesQuery = {}): Operation<GetAdminSegmentsIdSizesReply> {
  return { method: 'GET', path: withQuery(`/admin/segments/${encodeURIComponent(id)}/sizes`, query) }
}

export const getAdminSegmentsIdSizesLimits = { days: { minimum: 1, maximum: 100 } } as const

export type PostAdminSegmentsIdExportReply = {
  readonly object_prefix: string
  readonly url: string
  readonly message: string
}

export type PostAdminSegmentsIdExportBody = {
  readonly fields_to_export: readonly ('apps' | 'attributed_ad' | 'attributed_adgroup' | 'attributed_campaign' | 'attributed_source' | 'campaigns_received' | 'canvases_received' | 'cards_clicked' | 'country' | 'created_at' | 'custom_attributes' | 'custom_events' | 'devices' | 'dob' | 'email' | 'email_opted_in_at' | 'email_subscribe' | 'email_unsubscribed_at' | 'external_id' | 'first_name' | 'gender' | 'home_city' | 'language' | 'last_coordinates' | 'last_name' | 'phone' | 'purchases' | 'push_opted_in_at' | 'push_subscribe' | 'push_tokens' | 'push_unsubscribed_at' | 'random_bucket' | 'time_zone' | 'total_revenue' | 'uninstalled_at' | 'user_aliases' | 'service_id')[]
  readonly custom_attributes_to_export?: readonly string[]
  readonly output_format?: 'zip' | 'gzip'
}

export type PostAdminSegmentsIdExportQuery = {
  readonly workspace?: string | undefined
}

/** Accept an export of all people of a segment to a file. */
export function postAdminSegmentsIdExport(id: string, body: PostAdminSegmentsIdExportBody, query: PostAdminSegmentsIdExportQuery = {}): Operation<PostAdminSegmentsIdExportReply> {
  return { method: 'POST', path: withQuery(`/admin/segments/${encodeURIComponent(id)}/export`, query), body }
}

export type GetAdminExportsReply = {
  readonly exports: readonly ({
    readonly object_prefix: string
    readonly segment_id: string | null
    readonly state: 'waiting' | 'running' | 'done' | 'failed'
    readonly fields_to_export: readonly string[]
    readonly custom_attributes_to_export: readonly string[]
    readonly output_format: 'zip' | 'gzip'
    readonly people: number
    readonly people_in_all: number | null
    readonly files: number
    readonly bytes: number
    readonly failure: string | null
    readonly url: string | null
    readonly path: string | null
    readonly callback: {
      readonly endpoint: string
      readonly state: 'waiting' | 'done' | 'failed' | null
      readonly attempts: number
      readonly failure: string | null
    } | null
    readonly created_at: string
    readonly finished_at: string | null
    readonly expires_at: string | null
  })[]
  readonly fields: readonly string[]
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminExportsQuery = {
  readonly workspace?: string | undefined
  readonly segment_id?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List the exports of segments and of the global control group with their states. */
export function getAdminExports(query: GetAdminExportsQuery = {}): Operation<GetAdminExportsReply> {
  return { method: 'GET', path: withQuery('/admin/exports', query) }
}

export const getAdminExportsLimits = { limit: { minimum: 1, maximum: 100 } } as const

export type GetAdminSubscriptionGroupsIdCountsReply = {
  readonly subscribed: { readonly count: number; readonly error: number }
  readonly unsubscribed: { readonly count: number; readonly error: number }
  readonly is_exact: boolean
  readonly at: string
  readonly message: 'success'
}

export type GetAdminSubscriptionGroupsIdCountsQuery = {
  readonly workspace?: string | undefined
}

/** Count the people who are subscribed to a group, and those who are unsubscribed. */
export function getAdminSubscriptionGroupsIdCounts(id: string, query: GetAdminSubscriptionGroupsIdCountsQuery = {}): Operation<GetAdminSubscriptionGroupsIdCountsReply> {
  return { method: 'GET', path: withQuery(`/admin/subscription_groups/${encodeURIComponent(id)}/counts`, query) }
}

export type PostAdminSubscriptionGroupsReply = {
  readonly subscription_group: {
    readonly id: string
    readonly name: string
    readonly channel: 'email' | 'sms'
    readonly archived?: boolean
    readonly double_opt_in?: {
      readonly enabled: boolean
      readonly from?: string
      readonly reply_to?: string
      readonly subject?: string
      readonly body?: string
      readonly plaintext_body?: string
      readonly keyword?: string
      readonly confirmed_reply?: string
      readonly valid_hours?: number
      readonly sends_max?: number
      readonly through_api?: boolean
      readonly language?: string
      readonly texts?: {
        readonly title?: string
        readonly text?: string
        readonly button?: string
        readonly done_title?: string
        readonly done_text?: string
      }
    }
  }
  readonly message: 'success'
}

export type PostAdminSubscriptionGroupsBody = {
  readonly id?: string
  readonly name: string
  readonly channel: 'email' | 'sms'
  readonly archived?: boolean
  readonly double_opt_in?: {
    readonly enabled: boolean
    readonly from?: string
    readonly reply_to?: string
    readonly subject?: string
    readonly body?: string
    readonly plaintext_body?: string
    readonly keyword?: string
    readonly confirmed_reply?: string
    readonly valid_hours?: number
    readonly sends_max?: number
    readonly through_api?: boolean
    readonly language?: string
    readonly texts?: {
      readonly title?: string
      readonly text?: string
      readonly button?: string
      readonly done_title?: string
      readonly done_text?: string
    }
  }
}

export type PostAdminSubscriptionGroupsQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the subscription_groups. */
export function postAdminSubscriptionGroups(body: PostAdminSubscriptionGroupsBody, query: PostAdminSubscriptionGroupsQuery = {}): Operation<PostAdminSubscriptionGroupsReply> {
  return { method: 'POST', path: withQuery('/admin/subscription_groups', query), body }
}

export type PatchAdminSubscriptionGroupsIdReply = {
  readonly subscription_group: {
    readonly id: string
    readonly name: string
    readonly channel: 'email' | 'sms'
    readonly archived?: boolean
    readonly double_opt_in?: {
      readonly enabled: boolean
      readonly from?: string
      readonly reply_to?: string
      readonly subject?: string
      readonly body?: string
      readonly plaintext_body?: string
      readonly keyword?: string
      readonly confirmed_reply?: string
      readonly valid_hours?: number
      readonly sends_max?: number
      readonly through_api?: boolean
      readonly language?: string
      readonly texts?: {
        readonly title?: string
        readonly text?: string
        readonly button?: string
        readonly done_title?: string
        readonly done_text?: string
      }
    }
  }
  readonly message: 'success'
}

export type PatchAdminSubscriptionGroupsIdBody = {
  readonly id?: string
  readonly name?: string
  readonly channel?: 'email' | 'sms'
  readonly archived?: boolean
  readonly double_opt_in?: {
    readonly enabled: boolean
    readonly from?: string
    readonly reply_to?: string
    readonly subject?: string
    readonly body?: string
    readonly plaintext_body?: string
    readonly keyword?: string
    readonly confirmed_reply?: string
    readonly valid_hours?: number
    readonly sends_max?: number
    readonly through_api?: boolean
    readonly language?: string
    readonly texts?: {
      readonly title?: string
      readonly text?: string
      readonly button?: string
      readonly done_title?: string
      readonly done_text?: string
    }
  }
}

export type PatchAdminSubscriptionGroupsIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the subscription_groups. */
export function patchAdminSubscriptionGroupsId(id: string, body: PatchAdminSubscriptionGroupsIdBody, query: PatchAdminSubscriptionGroupsIdQuery = {}): Operation<PatchAdminSubscriptionGroupsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/subscription_groups/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminSubscriptionGroupsIdReply = unknown

export type DeleteAdminSubscriptionGroupsIdQuery = {
  readonly workspace?: string | undefined
}

/** Archive a subscription group. */
export function deleteAdminSubscriptionGroupsId(id: string, query: DeleteAdminSubscriptionGroupsIdQuery = {}): Operation<DeleteAdminSubscriptionGroupsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/subscription_groups/${encodeURIComponent(id)}`, query) }
}

export type GetAdminSubscriptionGroupsIdReply = {
  readonly subscription_group: {
    readonly id: string
    readonly name: string
    readonly channel: 'email' | 'sms'
    readonly archived?: boolean
    readonly double_opt_in?: {
      readonly enabled: boolean
      readonly from?: string
      readonly reply_to?: string
      readonly subject?: string
      readonly body?: string
      readonly plaintext_body?: string
      readonly keyword?: string
      readonly confirmed_reply?: string
      readonly valid_hours?: number
      readonly sends_max?: number
      readonly through_api?: boolean
      readonly language?: string
      readonly texts?: {
        readonly title?: string
        readonly text?: string
        readonly button?: string
        readonly done_title?: string
        readonly done_text?: string
      }
    }
  }
  readonly message: 'success'
}

export type GetAdminSubscriptionGroupsIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the subscription_groups. */
export function getAdminSubscriptionGroupsId(id: string, query: GetAdminSubscriptionGroupsIdQuery = {}): Operation<GetAdminSubscriptionGroupsIdReply> {
  return { method: 'GET', path: withQuery(`/admin/subscription_groups/${encodeURIComponent(id)}`, query) }
}

export type GetAdminSubscriptionGroupsIdConfirmationCountsReply = {
  readonly pending: number
  readonly confirmed: number
  readonly expired: number
  readonly message: 'success'
}

export type GetAdminSubscriptionGroupsIdConfirmationCountsQuery = {
  readonly workspace?: string | undefined
}

/** Count who was asked to confirm a group, by state. */
export function getAdminSubscriptionGroupsIdConfirmationCounts(id: string, query: GetAdminSubscriptionGroupsIdConfirmationCountsQuery = {}): Operation<GetAdminSubscriptionGroupsIdConfirmationCountsReply> {
  return { method: 'GET', path: withQuery(`/admin/subscription_groups/${encodeURIComponent(id)}/confirmation_counts`, query) }
}

export type GetAdminSubscriptionGroupsIdConfirmationsReply = {
  readonly confirmations: readonly ({
    readonly person: string
    readonly state: 'pending' | 'confirmed' | 'expired'
    readonly address: string
    readonly keyword: string | null
    readonly source: 'form' | 'api' | 'preferences'
    readonly form_id: string | null
    readonly requested_at: string
    readonly requested_from: string | null
    readonly sent_at: string
    readonly sent_count: number
    readonly expires_at: string
    readonly confirmed_at: string | null
    readonly confirmed_from: string | null
  })[]
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminSubscriptionGroupsIdConfirmationsQuery = {
  readonly workspace?: string | undefined
  readonly state?: 'pending' | 'confirmed' | 'expired' | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List who was asked to confirm a group, newest first. */
export function getAdminSubscriptionGroupsIdConfirmations(id: string, query: GetAdminSubscriptionGroupsIdConfirmationsQuery = {}): Operation<GetAdminSubscriptionGroupsIdConfirmationsReply> {
  return { method: 'GET', path: withQuery(`/admin/subscription_groups/${encodeURIComponent(id)}/confirmations`, query) }
}

export const getAdminSubscriptionGroupsIdConfirmationsLimits = { limit: { minimum: 1, maximum: 200 } } as const

export type GetAdminSignUpFormsReply = {
  readonly sign_up_forms: readonly ({
    readonly id: string
    readonly name: string
    readonly subscription_group_id: string
    readonly state?: 'active' | 'paused'
    readonly language?: string
    readonly texts?: {
      readonly title?: string
      readonly intro?: string
      readonly label?: string
      readonly button?: string
      readonly consent?: string
      readonly done_title?: string
      readonly done_text?: string
      readonly paused_title?: string
      readonly paused_text?: string
    }
    readonly redirect_url?: string
    readonly embed_origins?: readonly string[]
    readonly min_seconds?: number
    readonly hourly_max?: number
    readonly direct_posts?: boolean
  })[]
  readonly message: 'success'
}

export type GetAdminSignUpFormsQuery = {
  readonly workspace?: string | undefined
}

/** List the sign_up_forms of a workspace. */
export function getAdminSignUpForms(query: GetAdminSignUpFormsQuery = {}): Operation<GetAdminSignUpFormsReply> {
  return { method: 'GET', path: withQuery('/admin/sign_up_forms', query) }
}

export type PostAdminSignUpFormsReply = {
  readonly sign_up_form: {
    readonly id: string
    readonly name: string
    readonly subscription_group_id: string
    readonly state?: 'active' | 'paused'
    readonly language?: string
    readonly texts?: {
      readonly title?: string
      readonly intro?: string
      readonly label?: string
      readonly button?: string
      readonly consent?: string
      readonly done_title?: string
      readonly done_text?: string
      readonly paused_title?: string
      readonly paused_text?: string
    }
    readonly redirect_url?: string
    readonly embed_origins?: readonly string[]
    readonly min_seconds?: number
    readonly hourly_max?: number
    readonly direct_posts?: boolean
  }
  readonly message: 'success'
}

export type PostAdminSignUpFormsBody = {
  readonly id?: string
  readonly name: string
  readonly subscription_group_id: string
  readonly state?: 'active' | 'paused'
  readonly language?: string
  readonly texts?: {
    readonly title?: string
    readonly intro?: string
    readonly label?: string
    readonly button?: string
    readonly consent?: string
    readonly done_title?: string
    readonly done_text?: string
    readonly paused_title?: string
    readonly paused_text?: string
  }
  readonly redirect_url?: string
  readonly embed_origins?: readonly string[]
  readonly min_seconds?: number
  readonly hourly_max?: number
  readonly direct_posts?: boolean
}

export type PostAdminSignUpFormsQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the sign_up_forms. */
export function postAdminSignUpForms(body: PostAdminSignUpFormsBody, query: PostAdminSignUpFormsQuery = {}): Operation<PostAdminSignUpFormsReply> {
  return { method: 'POST', path: withQuery('/admin/sign_up_forms', query), body }
}

export type PatchAdminSignUpFormsIdReply = {
  readonly sign_up_form: {
    readonly id: string
    readonly name: string
    readonly subscription_group_id: string
    readonly state?: 'active' | 'paused'
    readonly language?: string
    readonly texts?: {
      readonly title?: string
      readonly intro?: string
      readonly label?: string
      readonly button?: string
      readonly consent?: string
      readonly done_title?: string
      readonly done_text?: string
      readonly paused_title?: string
      readonly paused_text?: string
    }
    readonly redirect_url?: string
    readonly embed_origins?: readonly string[]
    readonly min_seconds?: number
    readonly hourly_max?: number
    readonly direct_posts?: boolean
  }
  readonly message: 'success'
}

export type PatchAdminSignUpFormsIdBody = {
  readonly id?: string
  readonly name?: string
  readonly subscription_group_id?: string
  readonly state?: 'active' | 'paused'
  readonly language?: string
  readonly texts?: {
    readonly title?: string
    readonly intro?: string
    readonly label?: string
    readonly button?: string
    readonly consent?: string
    readonly done_title?: string
    readonly done_text?: string
    readonly paused_title?: string
    readonly paused_text?: string
  }
  readonly redirect_url?: string
  readonly embed_origins?: readonly string[]
  readonly min_seconds?: number
  readonly hourly_max?: number
  readonly direct_posts?: boolean
}

export type PatchAdminSignUpFormsIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the sign_up_forms. */
export function patchAdminSignUpFormsId(id: string, body: PatchAdminSignUpFormsIdBody, query: PatchAdminSignUpFormsIdQuery = {}): Operation<PatchAdminSignUpFormsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/sign_up_forms/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminSignUpFormsIdReply = unknown

export type DeleteAdminSignUpFormsIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a sign-up form. Its page is gone; people who signed up can still confirm. */
export function deleteAdminSignUpFormsId(id: string, query: DeleteAdminSignUpFormsIdQuery = {}): Operation<DeleteAdminSignUpFormsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/sign_up_forms/${encodeURIComponent(id)}`, query) }
}

export type GetAdminSignUpFormsIdEmbedReply = {
  readonly url: string
  readonly snippet: string
  readonly iframe: string | null
  readonly message: 'success'
}

export type GetAdminSignUpFormsIdEmbedQuery = {
  readonly workspace?: string | undefined
}

/** Get the address of a sign-up form, and HTML that puts it on a page. */
export function getAdminSignUpFormsIdEmbed(id: string, query: GetAdminSignUpFormsIdEmbedQuery = {}): Operation<GetAdminSignUpFormsIdEmbedReply> {
  return { method: 'GET', path: withQuery(`/admin/sign_up_forms/${encodeURIComponent(id)}/embed`, query) }
}

export type PostAdminPeopleIdConfirmationsGroupResendReply = { readonly outcome: 'sent'; readonly message: 'success' }

export type PostAdminPeopleIdConfirmationsGroupResendQuery = {
  readonly workspace?: string | undefined
}

/** Send the mail or text that asks a person to confirm a group again. */
export function postAdminPeopleIdConfirmationsGroupResend(id: string, group: string, query: PostAdminPeopleIdConfirmationsGroupResendQuery = {}): Operation<PostAdminPeopleIdConfirmationsGroupResendReply> {
  return { method: 'POST', path: withQuery(`/admin/people/${encodeURIComponent(id)}/confirmations/${encodeURIComponent(group)}/resend`, query) }
}

export type DeleteAdminPeopleIdConfirmationsGroupReply = unknown

export type DeleteAdminPeopleIdConfirmationsGroupQuery = {
  readonly workspace?: string | undefined
}

/** Withdraw what a person was asked to confirm: the link or keyword does not work any more. */
export function deleteAdminPeopleIdConfirmationsGroup(id: string, group: string, query: DeleteAdminPeopleIdConfirmationsGroupQuery = {}): Operation<DeleteAdminPeopleIdConfirmationsGroupReply> {
  return { method: 'DELETE', path: withQuery(`/admin/people/${encodeURIComponent(id)}/confirmations/${encodeURIComponent(group)}`, query) }
}

export type GetAdminCanvasesIdReply = {
  readonly canvas: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly variants?: readonly FlowVariant[]
    readonly first?: string
    readonly steps: readonly FlowStep[]
  }
  readonly message: 'success'
}

export type GetAdminCanvasesIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the canvases. */
export function getAdminCanvasesId(id: string, query: GetAdminCanvasesIdQuery = {}): Operation<GetAdminCanvasesIdReply> {
  return { method: 'GET', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}`, query) }
}

export type GetAdminCampaignsIdReply = {
  readonly campaign: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly messages: readonly CampaignMessage[]
  }
  readonly message: 'success'
}

export type GetAdminCampaignsIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the campaigns. */
export function getAdminCampaignsId(id: string, query: GetAdminCampaignsIdQuery = {}): Operation<GetAdminCampaignsIdReply> {
  return { method: 'GET', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}`, query) }
}

export type GetAdminCanvasesIdStandingReply = {
  readonly at: string
  readonly version: number
  readonly since: string | null
  readonly versions: readonly { readonly version: number; readonly waiting: number }[]
  readonly entered: number
  readonly starts: { readonly [name: string]: number }
  readonly ended: number
  readonly converted: number
  readonly steps: { readonly [name: string]: {
    readonly waiting: number
    readonly longest_ms: number | null
    readonly held: number
    readonly passed: number
    readonly sent: number
    readonly failed: number
    readonly by: { readonly [name: string]: number }
    readonly paths: { readonly [name: string]: number }
    readonly left: { readonly [name: string]: number }
    readonly reasons: { readonly [name: string]: number }
    readonly outcomes: readonly ({
      readonly reason: string
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
    })[]
    readonly families: { readonly [name: string]: number }
    readonly rates: {
      readonly channel: string
      readonly sent: number
      readonly counts: readonly ({
        readonly measure: string
        readonly words: string
        readonly count: number
        readonly of: number | null
      })[]
      readonly unknown: string | null
    } | null
  } }
  readonly message: 'success'
}

export type GetAdminCanvasesIdStandingQuery = {
  readonly workspace?: string | undefined
  readonly version?: number | undefined
  readonly hours?: number | undefined
}

/** Read where people stand in a canvas, and how many went which way. */
export function getAdminCanvasesIdStanding(id: string, query: GetAdminCanvasesIdStandingQuery = {}): Operation<GetAdminCanvasesIdStandingReply> {
  return { method: 'GET', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/standing`, query) }
}

export const getAdminCanvasesIdStandingLimits = {
  version: { minimum: 1 },
  hours: { minimum: 1, maximum: 2208 },
} as const

export type GetAdminCampaignsIdStandingReply = {
  readonly at: string
  readonly version: number
  readonly since: string | null
  readonly versions: readonly { readonly version: number; readonly waiting: number }[]
  readonly entered: number
  readonly starts: { readonly [name: string]: number }
  readonly ended: number
  readonly converted: number
  readonly steps: { readonly [name: string]: {
    readonly waiting: number
    readonly longest_ms: number | null
    readonly held: number
    readonly passed: number
    readonly sent: number
    readonly failed: number
    readonly by: { readonly [name: string]: number }
    readonly paths: { readonly [name: string]: number }
    readonly left: { readonly [name: string]: number }
    readonly reasons: { readonly [name: string]: number }
    readonly outcomes: readonly ({
      readonly reason: string
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
    })[]
    readonly families: { readonly [name: string]: number }
    readonly rates: {
      readonly channel: string
      readonly sent: number
      readonly counts: readonly ({
        readonly measure: string
        readonly words: string
        readonly count: number
        readonly of: number | null
      })[]
      readonly unknown: string | null
    } | null
  } }
  readonly message: 'success'
}

export type GetAdminCampaignsIdStandingQuery = {
  readonly workspace?: string | undefined
  readonly version?: number | undefined
  readonly hours?: number | undefined
}

/** Read where people stand in a campaign, and how many went which way. */
export function getAdminCampaignsIdStanding(id: string, query: GetAdminCampaignsIdStandingQuery = {}): Operation<GetAdminCampaignsIdStandingReply> {
  return { method: 'GET', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/standing`, query) }
}

export const getAdminCampaignsIdStandingLimits = {
  version: { minimum: 1 },
  hours: { minimum: 1, maximum: 2208 },
} as const

export type GetAdminCanvasesIdEntriesReply = {
  readonly entries: readonly ({
    readonly entry_id: string
    readonly version: number
    readonly is_open: boolean
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain' | null
    readonly sentence: string
    readonly step: string | null
    readonly step_name: string | null
    readonly variant_name: string | null
    readonly waits_for: string | null
    readonly until: string | null
    readonly entered_at: string
    readonly ended_at: string | null
    readonly person: {
      readonly id: string
      readonly external_id: string | null
      readonly first_name: string | null
      readonly last_name: string | null
      readonly email: string | null
    } | null
    readonly variant: string | null
    readonly state: 'arriving' | 'waiting' | 'listening' | 'sending' | 'ended'
    readonly held: boolean
    readonly reason: string | null
    readonly arrived_at: string | null
  })[]
  readonly searched_until: string | null
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminCanvasesIdEntriesQuery = {
  readonly workspace?: string | undefined
  readonly step?: string | undefined
  readonly state?: 'open' | 'arriving' | 'waiting' | 'listening' | 'sending' | 'ended' | undefined
  readonly version?: number | undefined
  readonly person?: string | undefined
  readonly cursor?: string | undefined
}

/** List who is or was in a canvas, newest first, also by step, state, version or person. */
export function getAdminCanvasesIdEntries(id: string, query: GetAdminCanvasesIdEntriesQuery = {}): Operation<GetAdminCanvasesIdEntriesReply> {
  return { method: 'GET', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/entries`, query) }
}

export const getAdminCanvasesIdEntriesLimits = { step: { maxLength: 1000 }, version: { minimum: 1 } } as const

export type GetAdminCampaignsIdEntriesReply = {
  readonly entries: readonly ({
    readonly entry_id: string
    readonly version: number
    readonly is_open: boolean
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain' | null
    readonly sentence: string
    readonly step: string | null
    readonly step_name: string | null
    readonly variant_name: string | null
    readonly waits_for: string | null
    readonly until: string | null
    readonly entered_at: string
    readonly ended_at: string | null
    readonly person: {
      readonly id: string
      readonly external_id: string | null
      readonly first_name: string | null
      readonly last_name: string | null
      readonly email: string | null
    } | null
    readonly variant: string | null
    readonly state: 'arriving' | 'waiting' | 'listening' | 'sending' | 'ended'
    readonly held: boolean
    readonly reason: string | null
    readonly arrived_at: string | null
  })[]
  readonly searched_until: string | null
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminCampaignsIdEntriesQuery = {
  readonly workspace?: string | undefined
  readonly step?: string | undefined
  readonly state?: 'open' | 'arriving' | 'waiting' | 'listening' | 'sending' | 'ended' | undefined
  readonly version?: number | undefined
  readonly person?: string | undefined
  readonly cursor?: string | undefined
}

/** List who is or was in a campaign, newest first, also by step, state, version or person. */
export function getAdminCampaignsIdEntries(id: string, query: GetAdminCampaignsIdEntriesQuery = {}): Operation<GetAdminCampaignsIdEntriesReply> {
  return { method: 'GET', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/entries`, query) }
}

export const getAdminCampaignsIdEntriesLimits = { step: { maxLength: 1000 }, version: { minimum: 1 } } as const

export type GetAdminCanvasesIdEntriesEntryIdReply = {
  readonly entry: {
    readonly entry_id: string
    readonly version: number
    readonly is_open: boolean
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain' | null
    readonly sentence: string
    readonly step: string | null
    readonly step_name: string | null
    readonly variant_name: string | null
    readonly waits_for: string | null
    readonly until: string | null
    readonly entered_at: string
    readonly ended_at: string | null
    readonly person: {
      readonly id: string
      readonly external_id: string | null
      readonly first_name: string | null
      readonly last_name: string | null
      readonly email: string | null
    } | null
    readonly variant: string | null
    readonly state: 'arriving' | 'waiting' | 'listening' | 'sending' | 'ended'
    readonly held: boolean
    readonly reason: string | null
    readonly arrived_at: string | null
    readonly because: string | null
    readonly trail: readonly ({
      readonly step: string
      readonly step_name: string | null
      readonly at: string
      readonly path: string | null
    })[]
    readonly trail_is_whole: boolean
  }
  readonly messages: readonly ({
    readonly message_id: string
    readonly channel: string
    readonly class: 'transactional' | 'marketing'
    readonly sentence: string
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
    readonly reason: 'sent' | 'no_such_user' | 'no_address' | 'not_in_segment' | 'not_in_audience' | 'unsubscribed' | 'group_unsubscribed' | 'not_confirmed' | 'suppressed' | 'frequency_capped' | 'quiet_hours' | 'control_group' | 'global_control_group' | 'already_entered' | 'local_time_passed' | 'missed' | 'cancelled' | 'canvas_paused' | 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'set_aside' | 'refused_by_server' | 'expired' | 'uncertain' | 'exited' | 'merged' | 'deleted' | null
    readonly state: 'queued' | 'held' | 'leased' | 'handed_over' | 'accepted' | 'suppressed' | 'aborted' | 'cancelled' | 'missed' | 'bounced' | 'failed' | 'uncertain'
    readonly address: string | null
    readonly subject: string | null
    readonly step: { readonly id: string; readonly name: string | null } | null
    readonly visit: number
    readonly dispatch_id: string | null
    readonly entry_id: string | null
    readonly attempts: number
    readonly response: string | null
    readonly planned_at: string
    readonly due_at: string
    readonly ended_at: string | null
    readonly bounced_at: string | null
    readonly complained_at: string | null
    readonly decided: 'left' | 'resent' | null
    readonly is_undecided: boolean
  })[] | null
  readonly has_more_messages: boolean
  readonly message: 'success'
}

export type GetAdminCanvasesIdEntriesEntryIdQuery = {
  readonly workspace?: string | undefined
}

/** Read how one person went through a canvas: the steps with their times, and what became of the messages. */
export function getAdminCanvasesIdEntriesEntryId(id: string, entry_id: string, query: GetAdminCanvasesIdEntriesEntryIdQuery = {}): Operation<GetAdminCanvasesIdEntriesEntryIdReply> {
  return { method: 'GET', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/entries/${encodeURIComponent(entry_id)}`, query) }
}

export type GetAdminCampaignsIdEntriesEntryIdReply = {
  readonly entry: {
    readonly entry_id: string
    readonly version: number
    readonly is_open: boolean
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain' | null
    readonly sentence: string
    readonly step: string | null
    readonly step_name: string | null
    readonly variant_name: string | null
    readonly waits_for: string | null
    readonly until: string | null
    readonly entered_at: string
    readonly ended_at: string | null
    readonly person: {
      readonly id: string
      readonly external_id: string | null
      readonly first_name: string | null
      readonly last_name: string | null
      readonly email: string | null
    } | null
    readonly variant: string | null
    readonly state: 'arriving' | 'waiting' | 'listening' | 'sending' | 'ended'
    readonly held: boolean
    readonly reason: string | null
    readonly arrived_at: string | null
    readonly because: string | null
    readonly trail: readonly ({
      readonly step: string
      readonly step_name: string | null
      readonly at: string
      readonly path: string | null
    })[]
    readonly trail_is_whole: boolean
  }
  readonly messages: readonly ({
    readonly message_id: string
    readonly channel: string
    readonly class: 'transactional' | 'marketing'
    readonly sentence: string
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
    readonly reason: 'sent' | 'no_such_user' | 'no_address' | 'not_in_segment' | 'not_in_audience' | 'unsubscribed' | 'group_unsubscribed' | 'not_confirmed' | 'suppressed' | 'frequency_capped' | 'quiet_hours' | 'control_group' | 'global_control_group' | 'already_entered' | 'local_time_passed' | 'missed' | 'cancelled' | 'canvas_paused' | 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'set_aside' | 'refused_by_server' | 'expired' | 'uncertain' | 'exited' | 'merged' | 'deleted' | null
    readonly state: 'queued' | 'held' | 'leased' | 'handed_over' | 'accepted' | 'suppressed' | 'aborted' | 'cancelled' | 'missed' | 'bounced' | 'failed' | 'uncertain'
    readonly address: string | null
    readonly subject: string | null
    readonly step: { readonly id: string; readonly name: string | null } | null
    readonly visit: number
    readonly dispatch_id: string | null
    readonly entry_id: string | null
    readonly attempts: number
    readonly response: string | null
    readonly planned_at: string
    readonly due_at: string
    readonly ended_at: string | null
    readonly bounced_at: string | null
    readonly complained_at: string | null
    readonly decided: 'left' | 'resent' | null
    readonly is_undecided: boolean
  })[] | null
  readonly has_more_messages: boolean
  readonly message: 'success'
}

export type GetAdminCampaignsIdEntriesEntryIdQuery = {
  readonly workspace?: string | undefined
}

/** Read how one person went through a campaign: the steps with their times, and what became of the messages. */
export function getAdminCampaignsIdEntriesEntryId(id: string, entry_id: string, query: GetAdminCampaignsIdEntriesEntryIdQuery = {}): Operation<GetAdminCampaignsIdEntriesEntryIdReply> {
  return { method: 'GET', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/entries/${encodeURIComponent(entry_id)}`, query) }
}

export type GetAdminCanvasesIdVersionsReply = {
  readonly versions: readonly ({
    readonly version: number
    readonly created_at: string
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    } | null
    readonly people: number
  })[]
  readonly next_before: number | null
  readonly message: 'success'
}

export type GetAdminCanvasesIdVersionsQuery = {
  readonly workspace?: string | undefined
  readonly before?: number | undefined
}

/** List the versions of a canvas, the newest first, with who wrote them and how many people are on them. */
export function getAdminCanvasesIdVersions(id: string, query: GetAdminCanvasesIdVersionsQuery = {}): Operation<GetAdminCanvasesIdVersionsReply> {
  return { method: 'GET', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/versions`, query) }
}

export const getAdminCanvasesIdVersionsLimits = { before: { minimum: 1 } } as const

export type GetAdminCampaignsIdVersionsReply = {
  readonly versions: readonly ({
    readonly version: number
    readonly created_at: string
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    } | null
    readonly people: number
  })[]
  readonly next_before: number | null
  readonly message: 'success'
}

export type GetAdminCampaignsIdVersionsQuery = {
  readonly workspace?: string | undefined
  readonly before?: number | undefined
}

/** List the versions of a campaign, the newest first, with who wrote them and how many people are on them. */
export function getAdminCampaignsIdVersions(id: string, query: GetAdminCampaignsIdVersionsQuery = {}): Operation<GetAdminCampaignsIdVersionsReply> {
  return { method: 'GET', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/versions`, query) }
}

export const getAdminCampaignsIdVersionsLimits = { before: { minimum: 1 } } as const

export type GetAdminCanvasesIdVersionsVersionReply = {
  readonly version: {
    readonly version: number
    readonly created_at: string
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    } | null
    readonly people: number
  }
  readonly definition: { readonly [name: string]: unknown }
  readonly outline: {
    readonly sentence: string
    readonly starts: readonly ({
      readonly name: string
      readonly words: string
      readonly next: string | null
    })[]
    readonly steps: readonly ({
      readonly id: string
      readonly name: string
      readonly kind: 'message' | 'delay' | 'decision' | 'paths' | 'action_paths' | 'experiment' | 'update_user' | 'webhook'
      readonly sentence: string
      readonly paths: readonly ({
        readonly name: string
        readonly words: string
        readonly next: string | null
      })[]
    })[]
  } | null
  readonly compared_with: number | null
  readonly changes: readonly string[]
  readonly has_more_changes: boolean
  readonly message: 'success'
}

export type GetAdminCanvasesIdVersionsVersionQuery = {
  readonly workspace?: string | undefined
  readonly compared_with?: number | undefined
}

/** Read one version of a canvas, and in words what differs from the one before, or from another one. */
export function getAdminCanvasesIdVersionsVersion(id: string, version: string, query: GetAdminCanvasesIdVersionsVersionQuery = {}): Operation<GetAdminCanvasesIdVersionsVersionReply> {
  return { method: 'GET', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}`, query) }
}

export const getAdminCanvasesIdVersionsVersionLimits = { compared_with: { minimum: 1 } } as const

export type GetAdminCampaignsIdVersionsVersionReply = {
  readonly version: {
    readonly version: number
    readonly created_at: string
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    } | null
    readonly people: number
  }
  readonly definition: { readonly [name: string]: unknown }
  readonly outline: {
    readonly sentence: string
    readonly starts: readonly ({
      readonly name: string
      readonly words: string
      readonly next: string | null
    })[]
    readonly steps: readonly ({
      readonly id: string
      readonly name: string
      readonly kind: 'message' | 'delay' | 'decision' | 'paths' | 'action_paths' | 'experiment' | 'update_user' | 'webhook'
      readonly sentence: string
      readonly paths: readonly ({
        readonly name: string
        readonly words: string
        readonly next: string | null
      })[]
    })[]
  } | null
  readonly compared_with: number | null
  readonly changes: readonly string[]
  readonly has_more_changes: boolean
  readonly message: 'success'
}

export type GetAdminCampaignsIdVersionsVersionQuery = {
  readonly workspace?: string | undefined
  readonly compared_with?: number | undefined
}

/** Read one version of a campaign, and in words what differs from the one before, or from another one. */
export function getAdminCampaignsIdVersionsVersion(id: string, version: string, query: GetAdminCampaignsIdVersionsVersionQuery = {}): Operation<GetAdminCampaignsIdVersionsVersionReply> {
  return { method: 'GET', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}`, query) }
}

export const getAdminCampaignsIdVersionsVersionLimits = { compared_with: { minimum: 1 } } as const

export type GetAdminCanvasesIdConversionsReply = {
  readonly at: string
  readonly conversions: readonly ({
    readonly name: string
    readonly sentence: string
    readonly all: {
      readonly entered: number
      readonly converted: number
      readonly rate: number | null
      readonly low: number | null
      readonly high: number | null
    }
    readonly variants: readonly ({
      readonly id: string
      readonly name: string
      readonly entered: number
      readonly converted: number
      readonly rate: number | null
      readonly low: number | null
      readonly high: number | null
    })[]
  })[]
  readonly message: 'success'
}

export type GetAdminCanvasesIdConversionsQuery = {
  readonly workspace?: string | undefined
}

/** Read how many people each variant of a canvas converts, with confidence intervals. */
export function getAdminCanvasesIdConversions(id: string, query: GetAdminCanvasesIdConversionsQuery = {}): Operation<GetAdminCanvasesIdConversionsReply> {
  return { method: 'GET', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/conversions`, query) }
}

export type GetAdminCampaignsIdConversionsReply = {
  readonly at: string
  readonly conversions: readonly ({
    readonly name: string
    readonly sentence: string
    readonly all: {
      readonly entered: number
      readonly converted: number
      readonly rate: number | null
      readonly low: number | null
      readonly high: number | null
    }
    readonly variants: readonly ({
      readonly id: string
      readonly name: string
      readonly entered: number
      readonly converted: number
      readonly rate: number | null
      readonly low: number | null
      readonly high: number | null
    })[]
  })[]
  readonly message: 'success'
}

export type GetAdminCampaignsIdConversionsQuery = {
  readonly workspace?: string | undefined
}

/** Read how many people each variant of a campaign converts, with confidence intervals. */
export function getAdminCampaignsIdConversions(id: string, query: GetAdminCampaignsIdConversionsQuery = {}): Operation<GetAdminCampaignsIdConversionsReply> {
  return { method: 'GET', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/conversions`, query) }
}

export type GetAdminCanvasesIdDraftReply = {
  readonly draft: {
    readonly definition: { readonly [name: string]: unknown }
    readonly base_version: number | null
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    }
    readonly updated_at: string
  } | null
  readonly tag: string | null
  readonly message: 'success'
}

export type GetAdminCanvasesIdDraftQuery = {
  readonly workspace?: string | undefined
}

/** Read the draft of a canvas, which need not exist. */
export function getAdminCanvasesIdDraft(id: string, query: GetAdminCanvasesIdDraftQuery = {}): Operation<GetAdminCanvasesIdDraftReply> {
  return { method: 'GET', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/draft`, query) }
}

export type GetAdminCampaignsIdDraftReply = {
  readonly draft: {
    readonly definition: { readonly [name: string]: unknown }
    readonly base_version: number | null
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    }
    readonly updated_at: string
  } | null
  readonly tag: string | null
  readonly message: 'success'
}

export type GetAdminCampaignsIdDraftQuery = {
  readonly workspace?: string | undefined
}

/** Read the draft of a campaign, which need not exist. */
export function getAdminCampaignsIdDraft(id: string, query: GetAdminCampaignsIdDraftQuery = {}): Operation<GetAdminCampaignsIdDraftReply> {
  return { method: 'GET', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/draft`, query) }
}

export type PutAdminCanvasesIdDraftReply = {
  readonly draft: {
    readonly definition: { readonly [name: string]: unknown }
    readonly base_version: number | null
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    }
    readonly updated_at: string
  } | null
  readonly tag: string | null
  readonly message: 'success'
}

export type PutAdminCanvasesIdDraftBody = {
  readonly definition: { readonly [name: string]: unknown }
  readonly base_version?: number | null
}

export type PutAdminCanvasesIdDraftQuery = {
  readonly workspace?: string | undefined
}

/** Store a draft of a canvas: without If-Match when there is none, with it in place of the one with this tag. */
export function putAdminCanvasesIdDraft(id: string, body: PutAdminCanvasesIdDraftBody, query: PutAdminCanvasesIdDraftQuery = {}): Operation<PutAdminCanvasesIdDraftReply> {
  return { method: 'PUT', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/draft`, query), body }
}

export type PutAdminCampaignsIdDraftReply = {
  readonly draft: {
    readonly definition: { readonly [name: string]: unknown }
    readonly base_version: number | null
    readonly author: {
      readonly kind: string
      readonly id: string
      readonly name: string
    }
    readonly updated_at: string
  } | null
  readonly tag: string | null
  readonly message: 'success'
}

export type PutAdminCampaignsIdDraftBody = {
  readonly definition: { readonly [name: string]: unknown }
  readonly base_version?: number | null
}

export type PutAdminCampaignsIdDraftQuery = {
  readonly workspace?: string | undefined
}

/** Store a draft of a campaign: without If-Match when there is none, with it in place of the one with this tag. */
export function putAdminCampaignsIdDraft(id: string, body: PutAdminCampaignsIdDraftBody, query: PutAdminCampaignsIdDraftQuery = {}): Operation<PutAdminCampaignsIdDraftReply> {
  return { method: 'PUT', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/draft`, query), body }
}

export type DeleteAdminCanvasesIdDraftReply = unknown

export type DeleteAdminCanvasesIdDraftQuery = {
  readonly workspace?: string | undefined
}

/** Discard the draft of a canvas; with If-Match only the one with this tag. */
export function deleteAdminCanvasesIdDraft(id: string, query: DeleteAdminCanvasesIdDraftQuery = {}): Operation<DeleteAdminCanvasesIdDraftReply> {
  return { method: 'DELETE', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/draft`, query) }
}

export type DeleteAdminCampaignsIdDraftReply = unknown

export type DeleteAdminCampaignsIdDraftQuery = {
  readonly workspace?: string | undefined
}

/** Discard the draft of a campaign; with If-Match only the one with this tag. */
export function deleteAdminCampaignsIdDraft(id: string, query: DeleteAdminCampaignsIdDraftQuery = {}): Operation<DeleteAdminCampaignsIdDraftReply> {
  return { method: 'DELETE', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/draft`, query) }
}

export type PostAdminCanvasesIdSendReply = {
  readonly dispatch_id: string
  readonly schedule_id?: string
  readonly notice?: string
  readonly notices?: readonly {
    readonly index?: number
    readonly input_array?: string
    readonly member: string
    readonly reason: string
  }[]
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostAdminCanvasesIdSendBody = {
  readonly recipients?: readonly ({
    readonly external_user_id?: string | number
    readonly user_alias?: {
      readonly alias_name: string
      readonly alias_label: string
    }
    readonly service_id?: string
    readonly email?: string
    readonly prioritization?: readonly string[]
    readonly trigger_properties?: { readonly [name: string]: unknown }
    readonly canvas_entry_properties?: { readonly [name: string]: unknown }
    readonly context?: { readonly [name: string]: unknown }
    readonly send_to_existing_only?: boolean
    readonly attributes?: { readonly [name: string]: unknown }
  })[]
  readonly audience?: { readonly [name: string]: unknown }
  readonly segment_id?: string
  readonly trigger_properties?: { readonly [name: string]: unknown }
  readonly canvas_entry_properties?: { readonly [name: string]: unknown }
  readonly context?: { readonly [name: string]: unknown }
  readonly schedule?: {
    readonly time: string
    readonly in_local_time?: boolean | 'true' | 'false'
    readonly at_optimal_time?: boolean | 'true' | 'false'
  }
}

export type PostAdminCanvasesIdSendQuery = {
  readonly workspace?: string | undefined
}

/** Let people enter a canvas now, or at a later time. */
export function postAdminCanvasesIdSend(id: string, body: PostAdminCanvasesIdSendBody, query: PostAdminCanvasesIdSendQuery = {}): Operation<PostAdminCanvasesIdSendReply> {
  return { method: 'POST', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/send`, query), body }
}

export type PostAdminCampaignsIdSendReply = {
  readonly dispatch_id: string
  readonly schedule_id?: string
  readonly notice?: string
  readonly notices?: readonly {
    readonly index?: number
    readonly input_array?: string
    readonly member: string
    readonly reason: string
  }[]
  readonly further_notices?: number
  readonly message: 'success'
}

export type PostAdminCampaignsIdSendBody = {
  readonly recipients?: readonly ({
    readonly external_user_id?: string | number
    readonly user_alias?: {
      readonly alias_name: string
      readonly alias_label: string
    }
    readonly service_id?: string
    readonly email?: string
    readonly prioritization?: readonly string[]
    readonly trigger_properties?: { readonly [name: string]: unknown }
    readonly canvas_entry_properties?: { readonly [name: string]: unknown }
    readonly context?: { readonly [name: string]: unknown }
    readonly send_to_existing_only?: boolean
    readonly attributes?: { readonly [name: string]: unknown }
  })[]
  readonly audience?: { readonly [name: string]: unknown }
  readonly segment_id?: string
  readonly trigger_properties?: { readonly [name: string]: unknown }
  readonly canvas_entry_properties?: { readonly [name: string]: unknown }
  readonly context?: { readonly [name: string]: unknown }
  readonly schedule?: {
    readonly time: string
    readonly in_local_time?: boolean | 'true' | 'false'
    readonly at_optimal_time?: boolean | 'true' | 'false'
  }
}

export type PostAdminCampaignsIdSendQuery = {
  readonly workspace?: string | undefined
}

/** Let people enter a campaign now, or at a later time. */
export function postAdminCampaignsIdSend(id: string, body: PostAdminCampaignsIdSendBody, query: PostAdminCampaignsIdSendQuery = {}): Operation<PostAdminCampaignsIdSendReply> {
  return { method: 'POST', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/send`, query), body }
}

export type PostAdminCanvasesCheckReply = {
  readonly mistakes: readonly { readonly path: string; readonly message: string }[]
  readonly has_more_mistakes: boolean
  readonly sentences: { readonly [name: string]: string }
  readonly outline: {
    readonly sentence: string
    readonly starts: readonly ({
      readonly name: string
      readonly words: string
      readonly next: string | null
    })[]
    readonly steps: readonly ({
      readonly id: string
      readonly name: string
      readonly kind: 'message' | 'delay' | 'decision' | 'paths' | 'action_paths' | 'experiment' | 'update_user' | 'webhook'
      readonly sentence: string
      readonly paths: readonly ({
        readonly name: string
        readonly words: string
        readonly next: string | null
      })[]
    })[]
  } | null
  readonly message: 'success'
}

export type PostAdminCanvasesCheckBody = { readonly id?: string; readonly definition: unknown }

export type PostAdminCanvasesCheckQuery = {
  readonly workspace?: string | undefined
}

/** Say everything that is wrong with a canvas that is not stored, and what it says in words. Nothing is written. */
export function postAdminCanvasesCheck(body: PostAdminCanvasesCheckBody, query: PostAdminCanvasesCheckQuery = {}): Operation<PostAdminCanvasesCheckReply> {
  return { method: 'POST', path: withQuery('/admin/canvases/check', query), body }
}

export type PostAdminCampaignsCheckReply = {
  readonly mistakes: readonly { readonly path: string; readonly message: string }[]
  readonly has_more_mistakes: boolean
  readonly sentences: { readonly [name: string]: string }
  readonly outline: {
    readonly sentence: string
    readonly starts: readonly ({
      readonly name: string
      readonly words: string
      readonly next: string | null
    })[]
    readonly steps: readonly ({
      readonly id: string
      readonly name: string
      readonly kind: 'message' | 'delay' | 'decision' | 'paths' | 'action_paths' | 'experiment' | 'update_user' | 'webhook'
      readonly sentence: string
      readonly paths: readonly ({
        readonly name: string
        readonly words: string
        readonly next: string | null
      })[]
    })[]
  } | null
  readonly message: 'success'
}

export type PostAdminCampaignsCheckBody = { readonly id?: string; readonly definition: unknown }

export type PostAdminCampaignsCheckQuery = {
  readonly workspace?: string | undefined
}

/** Say everything that is wrong with a campaign that is not stored, and what it says in words. Nothing is written. */
export function postAdminCampaignsCheck(body: PostAdminCampaignsCheckBody, query: PostAdminCampaignsCheckQuery = {}): Operation<PostAdminCampaignsCheckReply> {
  return { method: 'POST', path: withQuery('/admin/campaigns/check', query), body }
}

export type PostAdminCanvasesReply = {
  readonly canvas: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly variants?: readonly FlowVariant[]
    readonly first?: string
    readonly steps: readonly FlowStep[]
  }
  readonly message: 'success'
}

export type PostAdminCanvasesBody = {
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly state?: 'draft' | 'active' | 'paused' | 'archived'
  readonly class?: 'marketing' | 'transactional'
  readonly segment?: Condition | StoredSegment
  readonly audience?: Condition | StoredSegment
  readonly entry?: FlowEntry
  readonly exit?: FlowExit
  readonly conversions?: readonly FlowConversion[]
  readonly control_percent?: number
  readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
  readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
  readonly rate?: string
  readonly variants?: readonly FlowVariant[]
  readonly first?: string
  readonly steps: readonly FlowStep[]
}

export type PostAdminCanvasesQuery = {
  readonly workspace?: string | undefined
  readonly draft?: string | undefined
}

/** Create one of the canvases. */
export function postAdminCanvases(body: PostAdminCanvasesBody, query: PostAdminCanvasesQuery = {}): Operation<PostAdminCanvasesReply> {
  return { method: 'POST', path: withQuery('/admin/canvases', query), body }
}

export type PostAdminCampaignsReply = {
  readonly campaign: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly messages: readonly CampaignMessage[]
  }
  readonly message: 'success'
}

export type PostAdminCampaignsBody = {
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly state?: 'draft' | 'active' | 'paused' | 'archived'
  readonly class?: 'marketing' | 'transactional'
  readonly segment?: Condition | StoredSegment
  readonly audience?: Condition | StoredSegment
  readonly entry?: FlowEntry
  readonly exit?: FlowExit
  readonly conversions?: readonly FlowConversion[]
  readonly control_percent?: number
  readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
  readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
  readonly rate?: string
  readonly messages: readonly CampaignMessage[]
}

export type PostAdminCampaignsQuery = {
  readonly workspace?: string | undefined
  readonly draft?: string | undefined
}

/** Create one of the campaigns. */
export function postAdminCampaigns(body: PostAdminCampaignsBody, query: PostAdminCampaignsQuery = {}): Operation<PostAdminCampaignsReply> {
  return { method: 'POST', path: withQuery('/admin/campaigns', query), body }
}

export type PatchAdminCanvasesIdReply = {
  readonly canvas: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly variants?: readonly FlowVariant[]
    readonly first?: string
    readonly steps: readonly FlowStep[]
  }
  readonly message: 'success'
}

export type PatchAdminCanvasesIdBody = {
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly state?: 'draft' | 'active' | 'paused' | 'archived'
  readonly class?: 'marketing' | 'transactional' | null
  readonly segment?: Condition | StoredSegment | null
  readonly audience?: Condition | StoredSegment | null
  readonly entry?: FlowEntry | null
  readonly exit?: FlowExit | null
  readonly conversions?: readonly FlowConversion[] | null
  readonly control_percent?: number | null
  readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all' | null
  readonly quiet_hours?: 'hold' | 'skip' | 'ignore' | null
  readonly rate?: string | null
  readonly variants?: readonly FlowVariant[] | null
  readonly first?: string | null
  readonly steps?: readonly FlowStep[] | null
}

export type PatchAdminCanvasesIdQuery = {
  readonly workspace?: string | undefined
  readonly draft?: string | undefined
}

/** Change some properties of one of the canvases. */
export function patchAdminCanvasesId(id: string, body: PatchAdminCanvasesIdBody, query: PatchAdminCanvasesIdQuery = {}): Operation<PatchAdminCanvasesIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}`, query), body }
}

export type PatchAdminCampaignsIdReply = {
  readonly campaign: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly messages: readonly CampaignMessage[]
  }
  readonly message: 'success'
}

export type PatchAdminCampaignsIdBody = {
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly state?: 'draft' | 'active' | 'paused' | 'archived'
  readonly class?: 'marketing' | 'transactional' | null
  readonly segment?: Condition | StoredSegment | null
  readonly audience?: Condition | StoredSegment | null
  readonly entry?: FlowEntry | null
  readonly exit?: FlowExit | null
  readonly conversions?: readonly FlowConversion[] | null
  readonly control_percent?: number | null
  readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all' | null
  readonly quiet_hours?: 'hold' | 'skip' | 'ignore' | null
  readonly rate?: string | null
  readonly messages?: readonly CampaignMessage[] | null
}

export type PatchAdminCampaignsIdQuery = {
  readonly workspace?: string | undefined
  readonly draft?: string | undefined
}

/** Change some properties of one of the campaigns. */
export function patchAdminCampaignsId(id: string, body: PatchAdminCampaignsIdBody, query: PatchAdminCampaignsIdQuery = {}): Operation<PatchAdminCampaignsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminCanvasesIdReply = unknown

export type DeleteAdminCanvasesIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a canvas that has no people in it, or that was stopped. */
export function deleteAdminCanvasesId(id: string, query: DeleteAdminCanvasesIdQuery = {}): Operation<DeleteAdminCanvasesIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}`, query) }
}

export type DeleteAdminCampaignsIdReply = unknown

export type DeleteAdminCampaignsIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a campaign that has no people in it, or that was stopped. */
export function deleteAdminCampaignsId(id: string, query: DeleteAdminCampaignsIdQuery = {}): Operation<DeleteAdminCampaignsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}`, query) }
}

export type PostAdminCanvasesIdDryRunReply = {
  readonly canvas?: {
    readonly kind: string
    readonly id: string
    readonly name: string
    readonly state: string
    readonly version: number
  }
  readonly campaign?: {
    readonly kind: string
    readonly id: string
    readonly name: string
    readonly state: string
    readonly version: number
  }
  readonly as_of: string
  readonly complete: boolean
  readonly counts: { readonly [name: string]: number }
  readonly without_attribute: number
  readonly words: { readonly segment?: string; readonly audience?: string }
  readonly variants: { readonly [name: string]: number }
  readonly variant_names: { readonly [name: string]: string }
  readonly not_judged: readonly string[]
  readonly notice?: string
  readonly sample: readonly ({
    readonly outcome: string
    readonly person: { readonly [name: string]: unknown } | null
    readonly asked?: { readonly [name: string]: unknown }
    readonly variant: string | null
    readonly because: string
    readonly rule: string | null
    readonly inputs: unknown
  })[]
  readonly message: 'success'
}

export type PostAdminCanvasesIdDryRunBody = {
  readonly recipients?: readonly { readonly [name: string]: unknown }[]
  readonly definition?: { readonly [name: string]: unknown }
  readonly audience?: { readonly [name: string]: unknown }
  readonly segment_id?: string
}

export type PostAdminCanvasesIdDryRunQuery = {
  readonly workspace?: string | undefined
}

/** Count the people who would get a canvas now, and the others by reason. Nothing is sent. */
export function postAdminCanvasesIdDryRun(id: string, body: PostAdminCanvasesIdDryRunBody, query: PostAdminCanvasesIdDryRunQuery = {}): Operation<PostAdminCanvasesIdDryRunReply> {
  return { method: 'POST', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/dry_run`, query), body }
}

export type PostAdminCampaignsIdDryRunReply = {
  readonly canvas?: {
    readonly kind: string
    readonly id: string
    readonly name: string
    readonly state: string
    readonly version: number
  }
  readonly campaign?: {
    readonly kind: string
    readonly id: string
    readonly name: string
    readonly state: string
    readonly version: number
  }
  readonly as_of: string
  readonly complete: boolean
  readonly counts: { readonly [name: string]: number }
  readonly without_attribute: number
  readonly words: { readonly segment?: string; readonly audience?: string }
  readonly variants: { readonly [name: string]: number }
  readonly variant_names: { readonly [name: string]: string }
  readonly not_judged: readonly string[]
  readonly notice?: string
  readonly sample: readonly ({
    readonly outcome: string
    readonly person: { readonly [name: string]: unknown } | null
    readonly asked?: { readonly [name: string]: unknown }
    readonly variant: string | null
    readonly because: string
    readonly rule: string | null
    readonly inputs: unknown
  })[]
  readonly message: 'success'
}

export type PostAdminCampaignsIdDryRunBody = {
  readonly recipients?: readonly { readonly [name: string]: unknown }[]
  readonly definition?: { readonly [name: string]: unknown }
  readonly audience?: { readonly [name: string]: unknown }
  readonly segment_id?: string
}

export type PostAdminCampaignsIdDryRunQuery = {
  readonly workspace?: string | undefined
}

/** Count the people who would get a campaign now, and the others by reason. Nothing is sent. */
export function postAdminCampaignsIdDryRun(id: string, body: PostAdminCampaignsIdDryRunBody, query: PostAdminCampaignsIdDryRunQuery = {}): Operation<PostAdminCampaignsIdDryRunReply> {
  return { method: 'POST', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/dry_run`, query), body }
}

export type PostAdminCanvasesIdImpactReply = {
  readonly version: number
  readonly open: number
  readonly standing: readonly ({
    readonly version: number
    readonly step: string
    readonly name: string
    readonly people: number
    readonly in_new: 'same' | 'changed' | 'gone'
  })[]
  readonly steps: {
    readonly added: readonly string[]
    readonly changed: readonly string[]
    readonly removed: readonly string[]
  }
  readonly rules: readonly string[]
  readonly message: 'success'
}

export type PostAdminCanvasesIdImpactBody = { readonly definition?: { readonly [name: string]: unknown } }

export type PostAdminCanvasesIdImpactQuery = {
  readonly workspace?: string | undefined
}

/** Get what publishing a new version would change, and how many people are at which step. Nothing is written. */
export function postAdminCanvasesIdImpact(id: string, body: PostAdminCanvasesIdImpactBody, query: PostAdminCanvasesIdImpactQuery = {}): Operation<PostAdminCanvasesIdImpactReply> {
  return { method: 'POST', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/impact`, query), body }
}

export type PostAdminCampaignsIdImpactReply = {
  readonly version: number
  readonly open: number
  readonly standing: readonly ({
    readonly version: number
    readonly step: string
    readonly name: string
    readonly people: number
    readonly in_new: 'same' | 'changed' | 'gone'
  })[]
  readonly steps: {
    readonly added: readonly string[]
    readonly changed: readonly string[]
    readonly removed: readonly string[]
  }
  readonly rules: readonly string[]
  readonly message: 'success'
}

export type PostAdminCampaignsIdImpactBody = { readonly definition?: { readonly [name: string]: unknown } }

export type PostAdminCampaignsIdImpactQuery = {
  readonly workspace?: string | undefined
}

/** Get what publishing a new version would change, and how many people are at which step. Nothing is written. */
export function postAdminCampaignsIdImpact(id: string, body: PostAdminCampaignsIdImpactBody, query: PostAdminCampaignsIdImpactQuery = {}): Operation<PostAdminCampaignsIdImpactReply> {
  return { method: 'POST', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/impact`, query), body }
}

export type PostAdminCanvasesIdPauseReply = {
  readonly canvas: {
    readonly id: string
    readonly name: string
    readonly state: 'draft' | 'active' | 'paused' | 'archived'
    readonly version: number
  }
  readonly message: 'success'
}

export type PostAdminCanvasesIdPauseQuery = {
  readonly workspace?: string | undefined
}

/** Pause a canvas. The people in it are held, and orders make no one enter. */
export function postAdminCanvasesIdPause(id: string, query: PostAdminCanvasesIdPauseQuery = {}): Operation<PostAdminCanvasesIdPauseReply> {
  return { method: 'POST', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/pause`, query) }
}

export type PostAdminCanvasesIdResumeReply = {
  readonly canvas: {
    readonly id: string
    readonly name: string
    readonly state: 'draft' | 'active' | 'paused' | 'archived'
    readonly version: number
  }
  readonly message: 'success'
}

export type PostAdminCanvasesIdResumeQuery = {
  readonly workspace?: string | undefined
}

/** Resume a paused canvas. */
export function postAdminCanvasesIdResume(id: string, query: PostAdminCanvasesIdResumeQuery = {}): Operation<PostAdminCanvasesIdResumeReply> {
  return { method: 'POST', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/resume`, query) }
}

export type PostAdminCanvasesIdStopReply = {
  readonly canvas: {
    readonly id: string
    readonly name: string
    readonly state: 'draft' | 'active' | 'paused' | 'archived'
    readonly version: number
  }
  readonly message: 'success'
}

export type PostAdminCanvasesIdStopQuery = {
  readonly workspace?: string | undefined
}

/** Stop a canvas for good. All people in it leave it. */
export function postAdminCanvasesIdStop(id: string, query: PostAdminCanvasesIdStopQuery = {}): Operation<PostAdminCanvasesIdStopReply> {
  return { method: 'POST', path: withQuery(`/admin/canvases/${encodeURIComponent(id)}/stop`, query) }
}

export type PostAdminCampaignsIdPauseReply = {
  readonly campaign: {
    readonly id: string
    readonly name: string
    readonly state: 'draft' | 'active' | 'paused' | 'archived'
    readonly version: number
  }
  readonly message: 'success'
}

export type PostAdminCampaignsIdPauseQuery = {
  readonly workspace?: string | undefined
}

/** Pause a campaign. The people in it are held, and orders make no one enter. */
export function postAdminCampaignsIdPause(id: string, query: PostAdminCampaignsIdPauseQuery = {}): Operation<PostAdminCampaignsIdPauseReply> {
  return { method: 'POST', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/pause`, query) }
}

export type PostAdminCampaignsIdResumeReply = {
  readonly campaign: {
    readonly id: string
    readonly name: string
    readonly state: 'draft' | 'active' | 'paused' | 'archived'
    readonly version: number
  }
  readonly message: 'success'
}

export type PostAdminCampaignsIdResumeQuery = {
  readonly workspace?: string | undefined
}

/** Resume a paused campaign. */
export function postAdminCampaignsIdResume(id: string, query: PostAdminCampaignsIdResumeQuery = {}): Operation<PostAdminCampaignsIdResumeReply> {
  return { method: 'POST', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/resume`, query) }
}

export type PostAdminCampaignsIdStopReply = {
  readonly campaign: {
    readonly id: string
    readonly name: string
    readonly state: 'draft' | 'active' | 'paused' | 'archived'
    readonly version: number
  }
  readonly message: 'success'
}

export type PostAdminCampaignsIdStopQuery = {
  readonly workspace?: string | undefined
}

/** Stop a campaign for good. All people in it leave it. */
export function postAdminCampaignsIdStop(id: string, query: PostAdminCampaignsIdStopQuery = {}): Operation<PostAdminCampaignsIdStopReply> {
  return { method: 'POST', path: withQuery(`/admin/campaigns/${encodeURIComponent(id)}/stop`, query) }
}

export type GetAdminEmailTemplatesIdReply = {
  readonly email_template: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly subject: string
    readonly preheader?: string
    readonly body: string
    readonly plaintext_body?: string
    readonly should_inline_css?: boolean
    readonly tags?: readonly string[]
  }
  readonly message: 'success'
}

export type GetAdminEmailTemplatesIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the email_templates. */
export function getAdminEmailTemplatesId(id: string, query: GetAdminEmailTemplatesIdQuery = {}): Operation<GetAdminEmailTemplatesIdReply> {
  return { method: 'GET', path: withQuery(`/admin/email_templates/${encodeURIComponent(id)}`, query) }
}

export type GetAdminContentBlocksIdReply = {
  readonly content_block: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly content: string
    readonly state?: 'active' | 'draft'
    readonly tags?: readonly string[]
  }
  readonly message: 'success'
}

export type GetAdminContentBlocksIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the content_blocks. */
export function getAdminContentBlocksId(id: string, query: GetAdminContentBlocksIdQuery = {}): Operation<GetAdminContentBlocksIdReply> {
  return { method: 'GET', path: withQuery(`/admin/content_blocks/${encodeURIComponent(id)}`, query) }
}

export type PostAdminEmailTemplatesReply = {
  readonly email_template: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly subject: string
    readonly preheader?: string
    readonly body: string
    readonly plaintext_body?: string
    readonly should_inline_css?: boolean
    readonly tags?: readonly string[]
  }
  readonly message: 'success'
}

export type PostAdminEmailTemplatesBody = {
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly subject: string
  readonly preheader?: string
  readonly body: string
  readonly plaintext_body?: string
  readonly should_inline_css?: boolean
  readonly tags?: readonly string[]
}

export type PostAdminEmailTemplatesQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the email_templates. */
export function postAdminEmailTemplates(body: PostAdminEmailTemplatesBody, query: PostAdminEmailTemplatesQuery = {}): Operation<PostAdminEmailTemplatesReply> {
  return { method: 'POST', path: withQuery('/admin/email_templates', query), body }
}

export type PatchAdminEmailTemplatesIdReply = {
  readonly email_template: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly subject: string
    readonly preheader?: string
    readonly body: string
    readonly plaintext_body?: string
    readonly should_inline_css?: boolean
    readonly tags?: readonly string[]
  }
  readonly message: 'success'
}

export type PatchAdminEmailTemplatesIdBody = {
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly subject?: string
  readonly preheader?: string
  readonly body?: string
  readonly plaintext_body?: string
  readonly should_inline_css?: boolean
  readonly tags?: readonly string[]
}

export type PatchAdminEmailTemplatesIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the email_templates. */
export function patchAdminEmailTemplatesId(id: string, body: PatchAdminEmailTemplatesIdBody, query: PatchAdminEmailTemplatesIdQuery = {}): Operation<PatchAdminEmailTemplatesIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/email_templates/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminEmailTemplatesIdReply = unknown

export type DeleteAdminEmailTemplatesIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete an e-mail template that no canvas or campaign uses. */
export function deleteAdminEmailTemplatesId(id: string, query: DeleteAdminEmailTemplatesIdQuery = {}): Operation<DeleteAdminEmailTemplatesIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/email_templates/${encodeURIComponent(id)}`, query) }
}

export type PostAdminContentBlocksReply = {
  readonly content_block: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly content: string
    readonly state?: 'active' | 'draft'
    readonly tags?: readonly string[]
  }
  readonly message: 'success'
}

export type PostAdminContentBlocksBody = {
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly content: string
  readonly state?: 'active' | 'draft'
  readonly tags?: readonly string[]
}

export type PostAdminContentBlocksQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the content_blocks. */
export function postAdminContentBlocks(body: PostAdminContentBlocksBody, query: PostAdminContentBlocksQuery = {}): Operation<PostAdminContentBlocksReply> {
  return { method: 'POST', path: withQuery('/admin/content_blocks', query), body }
}

export type PatchAdminContentBlocksIdReply = {
  readonly content_block: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly content: string
    readonly state?: 'active' | 'draft'
    readonly tags?: readonly string[]
  }
  readonly message: 'success'
}

export type PatchAdminContentBlocksIdBody = {
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly content?: string
  readonly state?: 'active' | 'draft'
  readonly tags?: readonly string[]
}

export type PatchAdminContentBlocksIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the content_blocks. */
export function patchAdminContentBlocksId(id: string, body: PatchAdminContentBlocksIdBody, query: PatchAdminContentBlocksIdQuery = {}): Operation<PatchAdminContentBlocksIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/content_blocks/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminContentBlocksIdReply = unknown

export type DeleteAdminContentBlocksIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a content block that no template, other block, canvas or campaign includes. */
export function deleteAdminContentBlocksId(id: string, query: DeleteAdminContentBlocksIdQuery = {}): Operation<DeleteAdminContentBlocksIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/content_blocks/${encodeURIComponent(id)}`, query) }
}

export type PostAdminPreviewReply = {
  readonly outcome: 'rendered' | 'aborted' | 'failed'
  readonly sentence: string
  readonly reason: string | null
  readonly mistakes: readonly ({
    readonly text: string | null
    readonly content_block: string | null
    readonly message: string
    readonly line: number | null
    readonly column: number | null
  })[]
  readonly texts: { readonly [name: string]: string }
  readonly person: { readonly id: string; readonly name: string } | null
  readonly warnings: readonly string[]
  readonly bytes: number | null
  readonly bytes_max: number | null
  readonly ms: number
  readonly html_url: string | null
  readonly text: string | null
  readonly from: string | null
  readonly headers: { readonly [name: string]: string }
  readonly details: { readonly [name: string]: unknown } | null
  readonly message: 'success'
}

export type PostAdminPreviewBody = {
  readonly mail?: {
    readonly email_template_id?: string
    readonly app_id?: string
    readonly from?: string
    readonly reply_to?: string
    readonly subject?: string
    readonly preheader?: string
    readonly body?: string
    readonly plaintext_body?: string
    readonly should_inline_css?: boolean
  }
  readonly content_block?: {
    readonly content_block_id?: string
    readonly content?: string
  }
  readonly channel?: string
  readonly message?: { readonly [name: string]: unknown }
  readonly person?: string
  readonly personal?: {
    readonly standard?: { readonly [name: string]: unknown }
    readonly custom?: { readonly [name: string]: unknown }
    readonly canvas_entry_properties?: { readonly [name: string]: unknown }
    readonly context?: { readonly [name: string]: unknown }
    readonly event_properties?: { readonly [name: string]: unknown }
    readonly api_trigger_properties?: { readonly [name: string]: unknown }
    readonly subscribed_state?: { readonly [name: string]: unknown }
    readonly most_recently_used_device?: { readonly [name: string]: unknown }
    readonly targeted_device?: { readonly [name: string]: unknown }
    readonly campaign?: { readonly [name: string]: unknown }
    readonly canvas?: { readonly [name: string]: unknown }
    readonly app?: { readonly [name: string]: unknown }
    readonly form_field_name?: { readonly [name: string]: unknown }
    readonly preference_center?: { readonly [name: string]: unknown }
  }
}

export type PostAdminPreviewQuery = {
  readonly workspace?: string | undefined
}

/** Show a mail, a content block or a message of another channel as a person would get it, with its mistakes. */
export function postAdminPreview(body: PostAdminPreviewBody, query: PostAdminPreviewQuery = {}): Operation<PostAdminPreviewReply> {
  return { method: 'POST', path: withQuery('/admin/preview', query), body }
}

export type PostAdminPreviewSendReply = {
  readonly to: string
  readonly subject: string
  readonly mail_id: string | null
  readonly sentence: string
  readonly message: 'success'
}

export type PostAdminPreviewSendBody = {
  readonly mail?: {
    readonly email_template_id?: string
    readonly app_id?: string
    readonly from?: string
    readonly reply_to?: string
    readonly subject?: string
    readonly preheader?: string
    readonly body?: string
    readonly plaintext_body?: string
    readonly should_inline_css?: boolean
  }
  readonly channel?: string
  readonly message?: { readonly [name: string]: unknown }
  readonly to?: string
  readonly person?: string
  readonly personal?: {
    readonly standard?: { readonly [name: string]: unknown }
    readonly custom?: { readonly [name: string]: unknown }
    readonly canvas_entry_properties?: { readonly [name: string]: unknown }
    readonly context?: { readonly [name: string]: unknown }
    readonly event_properties?: { readonly [name: string]: unknown }
    readonly api_trigger_properties?: { readonly [name: string]: unknown }
    readonly subscribed_state?: { readonly [name: string]: unknown }
    readonly most_recently_used_device?: { readonly [name: string]: unknown }
    readonly targeted_device?: { readonly [name: string]: unknown }
    readonly campaign?: { readonly [name: string]: unknown }
    readonly canvas?: { readonly [name: string]: unknown }
    readonly app?: { readonly [name: string]: unknown }
    readonly form_field_name?: { readonly [name: string]: unknown }
    readonly preference_center?: { readonly [name: string]: unknown }
  }
}

export type PostAdminPreviewSendQuery = {
  readonly workspace?: string | undefined
}

/** Send a mail to oneself, or a message of another channel, as a test. */
export function postAdminPreviewSend(body: PostAdminPreviewSendBody, query: PostAdminPreviewSendQuery = {}): Operation<PostAdminPreviewSendReply> {
  return { method: 'POST', path: withQuery('/admin/preview/send', query), body }
}

export type GetAdminCatalogsIdReply = {
  readonly catalog: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly fields: readonly ({
      readonly name: string
      readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
    })[]
  }
  readonly message: 'success'
}

export type GetAdminCatalogsIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the catalogs. */
export function getAdminCatalogsId(id: string, query: GetAdminCatalogsIdQuery = {}): Operation<GetAdminCatalogsIdReply> {
  return { method: 'GET', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}`, query) }
}

export type GetAdminMediaReply = {
  readonly media: readonly ({
    readonly id: string
    readonly name: string
    readonly ext: 'png' | 'jpg' | 'gif' | 'pdf'
    readonly url: string
    readonly path: string
    readonly bytes: number
    readonly created_at: string
  })[]
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminMediaQuery = {
  readonly workspace?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List the files of the media library. */
export function getAdminMedia(query: GetAdminMediaQuery = {}): Operation<GetAdminMediaReply> {
  return { method: 'GET', path: withQuery('/admin/media', query) }
}

export const getAdminMediaLimits = { limit: { minimum: 1, maximum: 100 } } as const

export type PostAdminMediaReply = {
  readonly file: {
    readonly id: string
    readonly name: string
    readonly ext: 'png' | 'jpg' | 'gif' | 'pdf'
    readonly url: string
    readonly path: string
    readonly bytes: number
    readonly created_at: string
  }
  readonly message: 'success'
}

export type PostAdminMediaBody = {
  readonly asset_url?: string
  readonly asset_file?: string
  readonly name?: string
}

export type PostAdminMediaQuery = {
  readonly workspace?: string | undefined
}

/** Store a picture or a PDF in the media library. */
export function postAdminMedia(body: PostAdminMediaBody, query: PostAdminMediaQuery = {}): Operation<PostAdminMediaReply> {
  return { method: 'POST', path: withQuery('/admin/media', query), body }
}

export type PostAdminCatalogsReply = {
  readonly catalog: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly fields: readonly ({
      readonly name: string
      readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
    })[]
  }
  readonly message: 'success'
}

export type PostAdminCatalogsBody = {
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly fields: readonly ({
    readonly name: string
    readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
  })[]
}

export type PostAdminCatalogsQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the catalogs. */
export function postAdminCatalogs(body: PostAdminCatalogsBody, query: PostAdminCatalogsQuery = {}): Operation<PostAdminCatalogsReply> {
  return { method: 'POST', path: withQuery('/admin/catalogs', query), body }
}

export type PatchAdminCatalogsIdReply = {
  readonly catalog: {
    readonly id: string
    readonly name: string
    readonly description?: string
    readonly fields: readonly ({
      readonly name: string
      readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
    })[]
  }
  readonly message: 'success'
}

export type PatchAdminCatalogsIdBody = {
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly fields?: readonly ({
    readonly name: string
    readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
  })[]
}

export type PatchAdminCatalogsIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the catalogs. */
export function patchAdminCatalogsId(id: string, body: PatchAdminCatalogsIdBody, query: PatchAdminCatalogsIdQuery = {}): Operation<PatchAdminCatalogsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminCatalogsIdReply = unknown

export type DeleteAdminCatalogsIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a catalog and its items. */
export function deleteAdminCatalogsId(id: string, query: DeleteAdminCatalogsIdQuery = {}): Operation<DeleteAdminCatalogsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}`, query) }
}

export type GetAdminCatalogsIdItemsReply = {
  readonly items: readonly {
    readonly id: string
    readonly tag: string
    readonly updated_at: string
    readonly fields: { readonly [name: string]: unknown }
  }[]
  readonly num_items: number
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminCatalogsIdItemsQuery = {
  readonly workspace?: string | undefined
  readonly prefix?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List the items of a catalog by id. */
export function getAdminCatalogsIdItems(id: string, query: GetAdminCatalogsIdItemsQuery = {}): Operation<GetAdminCatalogsIdItemsReply> {
  return { method: 'GET', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}/items`, query) }
}

export const getAdminCatalogsIdItemsLimits = { limit: { minimum: 1, maximum: 100 } } as const

export type PatchAdminCatalogsIdItemsReply = {
  readonly items: readonly {
    readonly id: string
    readonly tag: string
    readonly updated_at: string
    readonly fields: { readonly [name: string]: unknown }
  }[]
  readonly message: 'success'
}

export type PatchAdminCatalogsIdItemsBody = {
  readonly items: readonly ({
    readonly id: string
    readonly action: 'create' | 'update' | 'delete'
    readonly tag?: string
    readonly fields?: { readonly [name: string]: unknown }
  })[]
}

export type PatchAdminCatalogsIdItemsQuery = {
  readonly workspace?: string | undefined
}

/** Create, update and delete items of a catalog, all or none. */
export function patchAdminCatalogsIdItems(id: string, body: PatchAdminCatalogsIdItemsBody, query: PatchAdminCatalogsIdItemsQuery = {}): Operation<PatchAdminCatalogsIdItemsReply> {
  return { method: 'PATCH', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}/items`, query), body }
}

export type PostAdminCatalogsIdImportReply = {
  readonly separator: ',' | ';' | '	'
  readonly header: readonly string[]
  readonly unknown_columns: readonly ({
    readonly name: string
    readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
  })[]
  readonly kept_fields: readonly string[]
  readonly made: number
  readonly replaced: number
  readonly refused: readonly { readonly line: number; readonly message: string }[]
  readonly ids: readonly { readonly id: string; readonly line: number }[]
  readonly next_line: number
  readonly message: 'success'
}

export type PostAdminCatalogsIdImportBody = {
  readonly csv: string
  readonly header?: readonly string[]
  readonly separator?: ',' | ';' | '	'
  readonly first_line?: number
  readonly new_fields?: readonly ({
    readonly name: string
    readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
  })[]
  readonly earlier?: {
    readonly made?: number
    readonly ids?: readonly { readonly id: string; readonly line: number }[]
  }
}

export type PostAdminCatalogsIdImportQuery = {
  readonly workspace?: string | undefined
  readonly plan?: 'true' | 'false' | undefined
}

/** Write the items of a part of a CSV file, or plan it: how many are made and replaced, and which lines are refused. */
export function postAdminCatalogsIdImport(id: string, body: PostAdminCatalogsIdImportBody, query: PostAdminCatalogsIdImportQuery = {}): Operation<PostAdminCatalogsIdImportReply> {
  return { method: 'POST', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}/import`, query), body }
}

export type DeleteAdminCatalogsIdFieldsFieldNameReply = unknown

export type DeleteAdminCatalogsIdFieldsFieldNameQuery = {
  readonly workspace?: string | undefined
}

/** Delete a field of a catalog and its values. */
export function deleteAdminCatalogsIdFieldsFieldName(id: string, field_name: string, query: DeleteAdminCatalogsIdFieldsFieldNameQuery = {}): Operation<DeleteAdminCatalogsIdFieldsFieldNameReply> {
  return { method: 'DELETE', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}/fields/${encodeURIComponent(field_name)}`, query) }
}

export type GetAdminCatalogsIdSelectionsReply = {
  readonly selections: readonly ({
    readonly name: string
    readonly description?: string
    readonly filters: readonly {
      readonly field: string
      readonly operator: string
      readonly value: unknown
    }[]
    readonly results_limit?: number
    readonly sort_field: string | null
    readonly sort_order: 'asc' | 'desc' | null
  })[]
  readonly message: 'success'
}

export type GetAdminCatalogsIdSelectionsQuery = {
  readonly workspace?: string | undefined
}

/** List the selections of a catalog. */
export function getAdminCatalogsIdSelections(id: string, query: GetAdminCatalogsIdSelectionsQuery = {}): Operation<GetAdminCatalogsIdSelectionsReply> {
  return { method: 'GET', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}/selections`, query) }
}

export type PostAdminCatalogsIdSelectionsReply = {
  readonly selections: readonly ({
    readonly name: string
    readonly description?: string
    readonly filters: readonly {
      readonly field: string
      readonly operator: string
      readonly value: unknown
    }[]
    readonly results_limit?: number
    readonly sort_field: string | null
    readonly sort_order: 'asc' | 'desc' | null
  })[]
  readonly message: 'success'
}

export type PostAdminCatalogsIdSelectionsBody = {
  readonly selection: {
    readonly name: string
    readonly description?: string
    readonly filters: readonly {
      readonly field: string
      readonly operator: string
      readonly value: unknown
    }[]
    readonly results_limit?: number
    readonly sort_field?: string
    readonly sort_order?: 'asc' | 'desc'
  }
}

export type PostAdminCatalogsIdSelectionsQuery = {
  readonly workspace?: string | undefined
}

/** Create a selection: a stored query on the items of a catalog. */
export function postAdminCatalogsIdSelections(id: string, body: PostAdminCatalogsIdSelectionsBody, query: PostAdminCatalogsIdSelectionsQuery = {}): Operation<PostAdminCatalogsIdSelectionsReply> {
  return { method: 'POST', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}/selections`, query), body }
}

export type DeleteAdminCatalogsIdSelectionsSelectionNameReply = unknown

export type DeleteAdminCatalogsIdSelectionsSelectionNameQuery = {
  readonly workspace?: string | undefined
}

/** Delete a selection of a catalog. */
export function deleteAdminCatalogsIdSelectionsSelectionName(id: string, selection_name: string, query: DeleteAdminCatalogsIdSelectionsSelectionNameQuery = {}): Operation<DeleteAdminCatalogsIdSelectionsSelectionNameReply> {
  return { method: 'DELETE', path: withQuery(`/admin/catalogs/${encodeURIComponent(id)}/selections/${encodeURIComponent(selection_name)}`, query) }
}

export type GetAdminDispatchesReply = {
  readonly dispatches: readonly ({
    readonly dispatch_id: string
    readonly schedule_id: string | null
    readonly state: 'waiting' | 'running' | 'paused' | 'cancelled' | 'done'
    readonly sentence: string
    readonly what: string
    readonly recipient_words: string
    readonly to_go: number
    readonly outcomes: readonly ({
      readonly reason: string | null
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
      readonly has_messages: boolean
    })[]
    readonly actions: readonly ('pause' | 'resume' | 'cancel' | 'send-missed')[]
    readonly class: 'transactional' | 'marketing'
    readonly send_id: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly resumed_at: string | null
    readonly schedule: {
      readonly time: string
      readonly in_local_time: boolean
      readonly at_optimal_time: boolean
      readonly dropped_offset?: string
    } | null
    readonly recipients: {
      readonly named: number | null
      readonly segment_id: string | null
      readonly audience: boolean
      readonly broadcast: boolean
    }
    readonly subject: string | null
    readonly next_due_at: string | null
    readonly found: number
    readonly unknown: number
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string | null
      readonly by: 'api' | 'schedule'
    } | null
    readonly entries: { readonly [name: string]: number }
    readonly messages: {
      readonly queued?: number
      readonly held?: number
      readonly leased?: number
      readonly handed_over?: number
      readonly accepted?: number
      readonly suppressed?: number
      readonly aborted?: number
      readonly cancelled?: number
      readonly missed?: number
      readonly bounced?: number
      readonly failed?: number
      readonly uncertain?: number
    }
    readonly reasons: {
      readonly sent?: number
      readonly no_such_user?: number
      readonly no_address?: number
      readonly not_in_segment?: number
      readonly not_in_audience?: number
      readonly unsubscribed?: number
      readonly group_unsubscribed?: number
      readonly not_confirmed?: number
      readonly suppressed?: number
      readonly frequency_capped?: number
      readonly quiet_hours?: number
      readonly control_group?: number
      readonly global_control_group?: number
      readonly already_entered?: number
      readonly local_time_passed?: number
      readonly missed?: number
      readonly cancelled?: number
      readonly canvas_paused?: number
      readonly aborted_by_template?: number
      readonly template_error?: number
      readonly attachment_failed?: number
      readonly set_aside?: number
      readonly refused_by_server?: number
      readonly expired?: number
      readonly uncertain?: number
      readonly exited?: number
      readonly merged?: number
      readonly deleted?: number
    }
  })[]
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminDispatchesQuery = {
  readonly workspace?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List orders with counts of their messages. */
export function getAdminDispatches(query: GetAdminDispatchesQuery = {}): Operation<GetAdminDispatchesReply> {
  return { method: 'GET', path: withQuery('/admin/dispatches', query) }
}

export const getAdminDispatchesLimits = { limit: { minimum: 1, maximum: 100 } } as const

export type GetAdminDispatchesDispatchIdReply = {
  readonly dispatch: {
    readonly dispatch_id: string
    readonly schedule_id: string | null
    readonly state: 'waiting' | 'running' | 'paused' | 'cancelled' | 'done'
    readonly sentence: string
    readonly what: string
    readonly recipient_words: string
    readonly to_go: number
    readonly outcomes: readonly ({
      readonly reason: string | null
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
      readonly has_messages: boolean
    })[]
    readonly actions: readonly ('pause' | 'resume' | 'cancel' | 'send-missed')[]
    readonly class: 'transactional' | 'marketing'
    readonly send_id: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly resumed_at: string | null
    readonly schedule: {
      readonly time: string
      readonly in_local_time: boolean
      readonly at_optimal_time: boolean
      readonly dropped_offset?: string
    } | null
    readonly recipients: {
      readonly named: number | null
      readonly segment_id: string | null
      readonly audience: boolean
      readonly broadcast: boolean
    }
    readonly subject: string | null
    readonly next_due_at: string | null
    readonly found: number
    readonly unknown: number
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string | null
      readonly by: 'api' | 'schedule'
    } | null
    readonly entries: { readonly [name: string]: number }
    readonly messages: {
      readonly queued?: number
      readonly held?: number
      readonly leased?: number
      readonly handed_over?: number
      readonly accepted?: number
      readonly suppressed?: number
      readonly aborted?: number
      readonly cancelled?: number
      readonly missed?: number
      readonly bounced?: number
      readonly failed?: number
      readonly uncertain?: number
    }
    readonly reasons: {
      readonly sent?: number
      readonly no_such_user?: number
      readonly no_address?: number
      readonly not_in_segment?: number
      readonly not_in_audience?: number
      readonly unsubscribed?: number
      readonly group_unsubscribed?: number
      readonly not_confirmed?: number
      readonly suppressed?: number
      readonly frequency_capped?: number
      readonly quiet_hours?: number
      readonly control_group?: number
      readonly global_control_group?: number
      readonly already_entered?: number
      readonly local_time_passed?: number
      readonly missed?: number
      readonly cancelled?: number
      readonly canvas_paused?: number
      readonly aborted_by_template?: number
      readonly template_error?: number
      readonly attachment_failed?: number
      readonly set_aside?: number
      readonly refused_by_server?: number
      readonly expired?: number
      readonly uncertain?: number
      readonly exited?: number
      readonly merged?: number
      readonly deleted?: number
    }
    readonly sending: { readonly [name: string]: unknown }
    readonly slots: readonly ({
      readonly zone: string
      readonly due_at: string
      readonly state: 'waiting' | 'held' | 'running' | 'done' | 'cancelled' | 'missed'
      readonly reason: 'local_time_passed' | 'missed' | null
      readonly found: number
      readonly unknown: number
      readonly failure: string | null
    })[]
  }
  readonly message: 'success'
}

export type GetAdminDispatchesDispatchIdQuery = {
  readonly workspace?: string | undefined
}

/** Read an order with its slots and what it sends. */
export function getAdminDispatchesDispatchId(dispatch_id: string, query: GetAdminDispatchesDispatchIdQuery = {}): Operation<GetAdminDispatchesDispatchIdReply> {
  return { method: 'GET', path: withQuery(`/admin/dispatches/${encodeURIComponent(dispatch_id)}`, query) }
}

export type PostAdminDispatchesDispatchIdPauseReply = {
  readonly dispatch: {
    readonly dispatch_id: string
    readonly schedule_id: string | null
    readonly state: 'waiting' | 'running' | 'paused' | 'cancelled' | 'done'
    readonly sentence: string
    readonly what: string
    readonly recipient_words: string
    readonly to_go: number
    readonly outcomes: readonly ({
      readonly reason: string | null
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
      readonly has_messages: boolean
    })[]
    readonly actions: readonly ('pause' | 'resume' | 'cancel' | 'send-missed')[]
    readonly class: 'transactional' | 'marketing'
    readonly send_id: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly resumed_at: string | null
    readonly schedule: {
      readonly time: string
      readonly in_local_time: boolean
      readonly at_optimal_time: boolean
      readonly dropped_offset?: string
    } | null
    readonly recipients: {
      readonly named: number | null
      readonly segment_id: string | null
      readonly audience: boolean
      readonly broadcast: boolean
    }
    readonly subject: string | null
    readonly next_due_at: string | null
    readonly found: number
    readonly unknown: number
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string | null
      readonly by: 'api' | 'schedule'
    } | null
    readonly entries: { readonly [name: string]: number }
    readonly messages: {
      readonly queued?: number
      readonly held?: number
      readonly leased?: number
      readonly handed_over?: number
      readonly accepted?: number
      readonly suppressed?: number
      readonly aborted?: number
      readonly cancelled?: number
      readonly missed?: number
      readonly bounced?: number
      readonly failed?: number
      readonly uncertain?: number
    }
    readonly reasons: {
      readonly sent?: number
      readonly no_such_user?: number
      readonly no_address?: number
      readonly not_in_segment?: number
      readonly not_in_audience?: number
      readonly unsubscribed?: number
      readonly group_unsubscribed?: number
      readonly not_confirmed?: number
      readonly suppressed?: number
      readonly frequency_capped?: number
      readonly quiet_hours?: number
      readonly control_group?: number
      readonly global_control_group?: number
      readonly already_entered?: number
      readonly local_time_passed?: number
      readonly missed?: number
      readonly cancelled?: number
      readonly canvas_paused?: number
      readonly aborted_by_template?: number
      readonly template_error?: number
      readonly attachment_failed?: number
      readonly set_aside?: number
      readonly refused_by_server?: number
      readonly expired?: number
      readonly uncertain?: number
      readonly exited?: number
      readonly merged?: number
      readonly deleted?: number
    }
    readonly sending: { readonly [name: string]: unknown }
    readonly slots: readonly ({
      readonly zone: string
      readonly due_at: string
      readonly state: 'waiting' | 'held' | 'running' | 'done' | 'cancelled' | 'missed'
      readonly reason: 'local_time_passed' | 'missed' | null
      readonly found: number
      readonly unknown: number
      readonly failure: string | null
    })[]
  }
  readonly message: 'success'
}

export type PostAdminDispatchesDispatchIdPauseQuery = {
  readonly workspace?: string | undefined
}

/** Pause an order: send nothing until it is resumed. */
export function postAdminDispatchesDispatchIdPause(dispatch_id: string, query: PostAdminDispatchesDispatchIdPauseQuery = {}): Operation<PostAdminDispatchesDispatchIdPauseReply> {
  return { method: 'POST', path: withQuery(`/admin/dispatches/${encodeURIComponent(dispatch_id)}/pause`, query) }
}

export type PostAdminDispatchesDispatchIdResumeReply = {
  readonly dispatch: {
    readonly dispatch_id: string
    readonly schedule_id: string | null
    readonly state: 'waiting' | 'running' | 'paused' | 'cancelled' | 'done'
    readonly sentence: string
    readonly what: string
    readonly recipient_words: string
    readonly to_go: number
    readonly outcomes: readonly ({
      readonly reason: string | null
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
      readonly has_messages: boolean
    })[]
    readonly actions: readonly ('pause' | 'resume' | 'cancel' | 'send-missed')[]
    readonly class: 'transactional' | 'marketing'
    readonly send_id: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly resumed_at: string | null
    readonly schedule: {
      readonly time: string
      readonly in_local_time: boolean
      readonly at_optimal_time: boolean
      readonly dropped_offset?: string
    } | null
    readonly recipients: {
      readonly named: number | null
      readonly segment_id: string | null
      readonly audience: boolean
      readonly broadcast: boolean
    }
    readonly subject: string | null
    readonly next_due_at: string | null
    readonly found: number
    readonly unknown: number
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string | null
      readonly by: 'api' | 'schedule'
    } | null
    readonly entries: { readonly [name: string]: number }
    readonly messages: {
      readonly queued?: number
      readonly held?: number
      readonly leased?: number
      readonly handed_over?: number
      readonly accepted?: number
      readonly suppressed?: number
      readonly aborted?: number
      readonly cancelled?: number
      readonly missed?: number
      readonly bounced?: number
      readonly failed?: number
      readonly uncertain?: number
    }
    readonly reasons: {
      readonly sent?: number
      readonly no_such_user?: number
      readonly no_address?: number
      readonly not_in_segment?: number
      readonly not_in_audience?: number
      readonly unsubscribed?: number
      readonly group_unsubscribed?: number
      readonly not_confirmed?: number
      readonly suppressed?: number
      readonly frequency_capped?: number
      readonly quiet_hours?: number
      readonly control_group?: number
      readonly global_control_group?: number
      readonly already_entered?: number
      readonly local_time_passed?: number
      readonly missed?: number
      readonly cancelled?: number
      readonly canvas_paused?: number
      readonly aborted_by_template?: number
      readonly template_error?: number
      readonly attachment_failed?: number
      readonly set_aside?: number
      readonly refused_by_server?: number
      readonly expired?: number
      readonly uncertain?: number
      readonly exited?: number
      readonly merged?: number
      readonly deleted?: number
    }
    readonly sending: { readonly [name: string]: unknown }
    readonly slots: readonly ({
      readonly zone: string
      readonly due_at: string
      readonly state: 'waiting' | 'held' | 'running' | 'done' | 'cancelled' | 'missed'
      readonly reason: 'local_time_passed' | 'missed' | null
      readonly found: number
      readonly unknown: number
      readonly failure: string | null
    })[]
  }
  readonly message: 'success'
}

export type PostAdminDispatchesDispatchIdResumeQuery = {
  readonly workspace?: string | undefined
}

/** Resume a paused order. */
export function postAdminDispatchesDispatchIdResume(dispatch_id: string, query: PostAdminDispatchesDispatchIdResumeQuery = {}): Operation<PostAdminDispatchesDispatchIdResumeReply> {
  return { method: 'POST', path: withQuery(`/admin/dispatches/${encodeURIComponent(dispatch_id)}/resume`, query) }
}

export type PostAdminDispatchesDispatchIdCancelReply = {
  readonly dispatch: {
    readonly dispatch_id: string
    readonly schedule_id: string | null
    readonly state: 'waiting' | 'running' | 'paused' | 'cancelled' | 'done'
    readonly sentence: string
    readonly what: string
    readonly recipient_words: string
    readonly to_go: number
    readonly outcomes: readonly ({
      readonly reason: string | null
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
      readonly has_messages: boolean
    })[]
    readonly actions: readonly ('pause' | 'resume' | 'cancel' | 'send-missed')[]
    readonly class: 'transactional' | 'marketing'
    readonly send_id: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly resumed_at: string | null
    readonly schedule: {
      readonly time: string
      readonly in_local_time: boolean
      readonly at_optimal_time: boolean
      readonly dropped_offset?: string
    } | null
    readonly recipients: {
      readonly named: number | null
      readonly segment_id: string | null
      readonly audience: boolean
      readonly broadcast: boolean
    }
    readonly subject: string | null
    readonly next_due_at: string | null
    readonly found: number
    readonly unknown: number
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string | null
      readonly by: 'api' | 'schedule'
    } | null
    readonly entries: { readonly [name: string]: number }
    readonly messages: {
      readonly queued?: number
      readonly held?: number
      readonly leased?: number
      readonly handed_over?: number
      readonly accepted?: number
      readonly suppressed?: number
      readonly aborted?: number
      readonly cancelled?: number
      readonly missed?: number
      readonly bounced?: number
      readonly failed?: number
      readonly uncertain?: number
    }
    readonly reasons: {
      readonly sent?: number
      readonly no_such_user?: number
      readonly no_address?: number
      readonly not_in_segment?: number
      readonly not_in_audience?: number
      readonly unsubscribed?: number
      readonly group_unsubscribed?: number
      readonly not_confirmed?: number
      readonly suppressed?: number
      readonly frequency_capped?: number
      readonly quiet_hours?: number
      readonly control_group?: number
      readonly global_control_group?: number
      readonly already_entered?: number
      readonly local_time_passed?: number
      readonly missed?: number
      readonly cancelled?: number
      readonly canvas_paused?: number
      readonly aborted_by_template?: number
      readonly template_error?: number
      readonly attachment_failed?: number
      readonly set_aside?: number
      readonly refused_by_server?: number
      readonly expired?: number
      readonly uncertain?: number
      readonly exited?: number
      readonly merged?: number
      readonly deleted?: number
    }
    readonly sending: { readonly [name: string]: unknown }
    readonly slots: readonly ({
      readonly zone: string
      readonly due_at: string
      readonly state: 'waiting' | 'held' | 'running' | 'done' | 'cancelled' | 'missed'
      readonly reason: 'local_time_passed' | 'missed' | null
      readonly found: number
      readonly unknown: number
      readonly failure: string | null
    })[]
  }
  readonly message: 'success'
}

export type PostAdminDispatchesDispatchIdCancelQuery = {
  readonly workspace?: string | undefined
}

/** Cancel an order for good. */
export function postAdminDispatchesDispatchIdCancel(dispatch_id: string, query: PostAdminDispatchesDispatchIdCancelQuery = {}): Operation<PostAdminDispatchesDispatchIdCancelReply> {
  return { method: 'POST', path: withQuery(`/admin/dispatches/${encodeURIComponent(dispatch_id)}/cancel`, query) }
}

export type PostAdminDispatchesDispatchIdSendMissedReply = {
  readonly dispatch: {
    readonly dispatch_id: string
    readonly schedule_id: string | null
    readonly state: 'waiting' | 'running' | 'paused' | 'cancelled' | 'done'
    readonly sentence: string
    readonly what: string
    readonly recipient_words: string
    readonly to_go: number
    readonly outcomes: readonly ({
      readonly reason: string | null
      readonly words: string
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly count: number
      readonly has_messages: boolean
    })[]
    readonly actions: readonly ('pause' | 'resume' | 'cancel' | 'send-missed')[]
    readonly class: 'transactional' | 'marketing'
    readonly send_id: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly resumed_at: string | null
    readonly schedule: {
      readonly time: string
      readonly in_local_time: boolean
      readonly at_optimal_time: boolean
      readonly dropped_offset?: string
    } | null
    readonly recipients: {
      readonly named: number | null
      readonly segment_id: string | null
      readonly audience: boolean
      readonly broadcast: boolean
    }
    readonly subject: string | null
    readonly next_due_at: string | null
    readonly found: number
    readonly unknown: number
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string | null
      readonly by: 'api' | 'schedule'
    } | null
    readonly entries: { readonly [name: string]: number }
    readonly messages: {
      readonly queued?: number
      readonly held?: number
      readonly leased?: number
      readonly handed_over?: number
      readonly accepted?: number
      readonly suppressed?: number
      readonly aborted?: number
      readonly cancelled?: number
      readonly missed?: number
      readonly bounced?: number
      readonly failed?: number
      readonly uncertain?: number
    }
    readonly reasons: {
      readonly sent?: number
      readonly no_such_user?: number
      readonly no_address?: number
      readonly not_in_segment?: number
      readonly not_in_audience?: number
      readonly unsubscribed?: number
      readonly group_unsubscribed?: number
      readonly not_confirmed?: number
      readonly suppressed?: number
      readonly frequency_capped?: number
      readonly quiet_hours?: number
      readonly control_group?: number
      readonly global_control_group?: number
      readonly already_entered?: number
      readonly local_time_passed?: number
      readonly missed?: number
      readonly cancelled?: number
      readonly canvas_paused?: number
      readonly aborted_by_template?: number
      readonly template_error?: number
      readonly attachment_failed?: number
      readonly set_aside?: number
      readonly refused_by_server?: number
      readonly expired?: number
      readonly uncertain?: number
      readonly exited?: number
      readonly merged?: number
      readonly deleted?: number
    }
    readonly sending: { readonly [name: string]: unknown }
    readonly slots: readonly ({
      readonly zone: string
      readonly due_at: string
      readonly state: 'waiting' | 'held' | 'running' | 'done' | 'cancelled' | 'missed'
      readonly reason: 'local_time_passed' | 'missed' | null
      readonly found: number
      readonly unknown: number
      readonly failure: string | null
    })[]
  }
  readonly message: 'success'
}

export type PostAdminDispatchesDispatchIdSendMissedQuery = {
  readonly workspace?: string | undefined
}

/** Send an order to its missed recipients now. */
export function postAdminDispatchesDispatchIdSendMissed(dispatch_id: string, query: PostAdminDispatchesDispatchIdSendMissedQuery = {}): Operation<PostAdminDispatchesDispatchIdSendMissedReply> {
  return { method: 'POST', path: withQuery(`/admin/dispatches/${encodeURIComponent(dispatch_id)}/send-missed`, query) }
}

export type GetAdminKeysReply = {
  readonly keys: readonly ({
    readonly id: string
    readonly name: string
    readonly key?: string
    readonly permissions: readonly ('*' | 'users.track' | 'users.track.sync' | 'users.delete' | 'users.alias.new' | 'users.alias.update' | 'users.identify' | 'users.export.ids' | 'users.export.segment' | 'users.export.global_control_group' | 'users.merge' | 'users.external_ids.rename' | 'users.external_ids.remove' | 'email.unsubscribe' | 'email.status' | 'email.hard_bounces' | 'email.bounce.remove' | 'email.spam.remove' | 'email.blacklist' | 'messages.send' | 'messages.schedule.create' | 'messages.schedule.update' | 'messages.schedule.delete' | 'messages.schedule_broadcasts' | 'messages.live_activity.update' | 'campaigns.trigger.send' | 'campaigns.trigger.schedule.create' | 'campaigns.trigger.schedule.update' | 'campaigns.trigger.schedule.delete' | 'campaigns.list' | 'campaigns.data_series' | 'campaigns.details' | 'campaigns.url_info.details' | 'campaigns.duplicate' | 'sends.data_series' | 'sends.id.create' | 'transactional.send' | 'canvas.trigger.send' | 'canvas.trigger.schedule.create' | 'canvas.trigger.schedule.update' | 'canvas.trigger.schedule.delete' | 'canvas.list' | 'canvas.data_series' | 'canvas.data_summary' | 'canvas.details' | 'canvas.url_info.details' | 'canvas.duplicate' | 'segments.list' | 'segments.data_series' | 'segments.details' | 'purchases.product_list' | 'purchases.revenue_series' | 'purchases.quantity_series' | 'events.list' | 'events.data_series' | 'sessions.data_series' | 'kpi.dau.data_series' | 'kpi.mau.data_series' | 'kpi.new_users.data_series' | 'kpi.uninstalls.data_series' | 'feed.list' | 'feed.details' | 'feed.data_series' | 'templates.email.create' | 'templates.email.info' | 'templates.email.list' | 'templates.email.update' | 'content_blocks.info' | 'content_blocks.list' | 'content_blocks.create' | 'content_blocks.update' | 'media_library.create' | 'subscription.status.set' | 'subscription.status.get' | 'subscription.groups.get' | 'preference_center.get' | 'preference_center.list' | 'preference_center.update' | 'preference_center.user.get' | 'partners.cohorts' | 'sms.invalid_phone_numbers' | 'sms.invalid_phone_numbers.remove' | 'catalogs.add_items' | 'catalogs.update_items' | 'catalogs.delete_items' | 'catalogs.replace_items' | 'catalogs.get_items' | 'catalogs.get_item' | 'catalogs.create_item' | 'catalogs.update_item' | 'catalogs.replace_item' | 'catalogs.delete_item' | 'catalogs.create' | 'catalogs.get' | 'catalogs.delete' | 'catalogs.create_fields' | 'catalogs.delete_fields' | 'catalogs.create_selection' | 'catalogs.delete_selection' | 'sdk_authentication.create' | 'sdk_authentication.primary' | 'sdk_authentication.delete' | 'sdk_authentication.keys' | 'sdk.data' | 'custom_attributes.get' | 'custom_attributes.blocklist' | 'cdi.integration_list' | 'cdi.integration_sync' | 'cdi.integration_job_status' | 'sso.saml.login')[]
    readonly allowed_ips: readonly string[]
    readonly strict: boolean
    readonly key_start: string
    readonly created_at: string
    readonly last_used_at: string | null
  })[]
  readonly message: 'success'
}

export type GetAdminKeysQuery = {
  readonly workspace?: string | undefined
}

/** List the api_keys of a workspace. */
export function getAdminKeys(query: GetAdminKeysQuery = {}): Operation<GetAdminKeysReply> {
  return { method: 'GET', path: withQuery('/admin/keys', query) }
}

export type PostAdminKeysReply = {
  readonly key: {
    readonly id: string
    readonly name: string
    readonly key?: string
    readonly permissions: readonly ('*' | 'users.track' | 'users.track.sync' | 'users.delete' | 'users.alias.new' | 'users.alias.update' | 'users.identify' | 'users.export.ids' | 'users.export.segment' | 'users.export.global_control_group' | 'users.merge' | 'users.external_ids.rename' | 'users.external_ids.remove' | 'email.unsubscribe' | 'email.status' | 'email.hard_bounces' | 'email.bounce.remove' | 'email.spam.remove' | 'email.blacklist' | 'messages.send' | 'messages.schedule.create' | 'messages.schedule.update' | 'messages.schedule.delete' | 'messages.schedule_broadcasts' | 'messages.live_activity.update' | 'campaigns.trigger.send' | 'campaigns.trigger.schedule.create' | 'campaigns.trigger.schedule.update' | 'campaigns.trigger.schedule.delete' | 'campaigns.list' | 'campaigns.data_series' | 'campaigns.details' | 'campaigns.url_info.details' | 'campaigns.duplicate' | 'sends.data_series' | 'sends.id.create' | 'transactional.send' | 'canvas.trigger.send' | 'canvas.trigger.schedule.create' | 'canvas.trigger.schedule.update' | 'canvas.trigger.schedule.delete' | 'canvas.list' | 'canvas.data_series' | 'canvas.data_summary' | 'canvas.details' | 'canvas.url_info.details' | 'canvas.duplicate' | 'segments.list' | 'segments.data_series' | 'segments.details' | 'purchases.product_list' | 'purchases.revenue_series' | 'purchases.quantity_series' | 'events.list' | 'events.data_series' | 'sessions.data_series' | 'kpi.dau.data_series' | 'kpi.mau.data_series' | 'kpi.new_users.data_series' | 'kpi.uninstalls.data_series' | 'feed.list' | 'feed.details' | 'feed.data_series' | 'templates.email.create' | 'templates.email.info' | 'templates.email.list' | 'templates.email.update' | 'content_blocks.info' | 'content_blocks.list' | 'content_blocks.create' | 'content_blocks.update' | 'media_library.create' | 'subscription.status.set' | 'subscription.status.get' | 'subscription.groups.get' | 'preference_center.get' | 'preference_center.list' | 'preference_center.update' | 'preference_center.user.get' | 'partners.cohorts' | 'sms.invalid_phone_numbers' | 'sms.invalid_phone_numbers.remove' | 'catalogs.add_items' | 'catalogs.update_items' | 'catalogs.delete_items' | 'catalogs.replace_items' | 'catalogs.get_items' | 'catalogs.get_item' | 'catalogs.create_item' | 'catalogs.update_item' | 'catalogs.replace_item' | 'catalogs.delete_item' | 'catalogs.create' | 'catalogs.get' | 'catalogs.delete' | 'catalogs.create_fields' | 'catalogs.delete_fields' | 'catalogs.create_selection' | 'catalogs.delete_selection' | 'sdk_authentication.create' | 'sdk_authentication.primary' | 'sdk_authentication.delete' | 'sdk_authentication.keys' | 'sdk.data' | 'custom_attributes.get' | 'custom_attributes.blocklist' | 'cdi.integration_list' | 'cdi.integration_sync' | 'cdi.integration_job_status' | 'sso.saml.login')[]
    readonly allowed_ips: readonly string[]
    readonly strict: boolean
    readonly key_start: string
    readonly created_at: string
    readonly last_used_at: string | null
  }
  readonly message: 'success'
}

export type PostAdminKeysBody = {
  readonly id?: string
  readonly name: string
  readonly key?: string
  readonly permissions: readonly ('*' | 'users.track' | 'users.track.sync' | 'users.delete' | 'users.alias.new' | 'users.alias.update' | 'users.identify' | 'users.export.ids' | 'users.export.segment' | 'users.export.global_control_group' | 'users.merge' | 'users.external_ids.rename' | 'users.external_ids.remove' | 'email.unsubscribe' | 'email.status' | 'email.hard_bounces' | 'email.bounce.remove' | 'email.spam.remove' | 'email.blacklist' | 'messages.send' | 'messages.schedule.create' | 'messages.schedule.update' | 'messages.schedule.delete' | 'messages.schedule_broadcasts' | 'messages.live_activity.update' | 'campaigns.trigger.send' | 'campaigns.trigger.schedule.create' | 'campaigns.trigger.schedule.update' | 'campaigns.trigger.schedule.delete' | 'campaigns.list' | 'campaigns.data_series' | 'campaigns.details' | 'campaigns.url_info.details' | 'campaigns.duplicate' | 'sends.data_series' | 'sends.id.create' | 'transactional.send' | 'canvas.trigger.send' | 'canvas.trigger.schedule.create' | 'canvas.trigger.schedule.update' | 'canvas.trigger.schedule.delete' | 'canvas.list' | 'canvas.data_series' | 'canvas.data_summary' | 'canvas.details' | 'canvas.url_info.details' | 'canvas.duplicate' | 'segments.list' | 'segments.data_series' | 'segments.details' | 'purchases.product_list' | 'purchases.revenue_series' | 'purchases.quantity_series' | 'events.list' | 'events.data_series' | 'sessions.data_series' | 'kpi.dau.data_series' | 'kpi.mau.data_series' | 'kpi.new_users.data_series' | 'kpi.uninstalls.data_series' | 'feed.list' | 'feed.details' | 'feed.data_series' | 'templates.email.create' | 'templates.email.info' | 'templates.email.list' | 'templates.email.update' | 'content_blocks.info' | 'content_blocks.list' | 'content_blocks.create' | 'content_blocks.update' | 'media_library.create' | 'subscription.status.set' | 'subscription.status.get' | 'subscription.groups.get' | 'preference_center.get' | 'preference_center.list' | 'preference_center.update' | 'preference_center.user.get' | 'partners.cohorts' | 'sms.invalid_phone_numbers' | 'sms.invalid_phone_numbers.remove' | 'catalogs.add_items' | 'catalogs.update_items' | 'catalogs.delete_items' | 'catalogs.replace_items' | 'catalogs.get_items' | 'catalogs.get_item' | 'catalogs.create_item' | 'catalogs.update_item' | 'catalogs.replace_item' | 'catalogs.delete_item' | 'catalogs.create' | 'catalogs.get' | 'catalogs.delete' | 'catalogs.create_fields' | 'catalogs.delete_fields' | 'catalogs.create_selection' | 'catalogs.delete_selection' | 'sdk_authentication.create' | 'sdk_authentication.primary' | 'sdk_authentication.delete' | 'sdk_authentication.keys' | 'sdk.data' | 'custom_attributes.get' | 'custom_attributes.blocklist' | 'cdi.integration_list' | 'cdi.integration_sync' | 'cdi.integration_job_status' | 'sso.saml.login')[]
  readonly allowed_ips?: readonly string[]
  readonly strict?: boolean
}

export type PostAdminKeysQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the api_keys. */
export function postAdminKeys(body: PostAdminKeysBody, query: PostAdminKeysQuery = {}): Operation<PostAdminKeysReply> {
  return { method: 'POST', path: withQuery('/admin/keys', query), body }
}

export type DeleteAdminKeysIdReply = unknown

export type DeleteAdminKeysIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a key: it is refused everywhere within a second. */
export function deleteAdminKeysId(id: string, query: DeleteAdminKeysIdQuery = {}): Operation<DeleteAdminKeysIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/keys/${encodeURIComponent(id)}`, query) }
}

export type GetAdminKeyPermissionsReply = {
  readonly groups: readonly {
    readonly name: string
    readonly permissions: readonly {
      readonly permission: string
      readonly allows: string
      readonly may_give: boolean
    }[]
  }[]
  readonly may_give_all: boolean
  readonly message: 'success'
}

export type GetAdminKeyPermissionsQuery = {
  readonly workspace?: string | undefined
}

/** List the permissions that an API key can have, and what each allows. */
export function getAdminKeyPermissions(query: GetAdminKeyPermissionsQuery = {}): Operation<GetAdminKeyPermissionsReply> {
  return { method: 'GET', path: withQuery('/admin/key_permissions', query) }
}

export type PostAdminWebhooksReply = {
  readonly webhook: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly event_types: readonly string[]
    readonly state: 'active' | 'paused'
    readonly secret?: string
  }
  readonly message: 'success'
}

export type PostAdminWebhooksBody = {
  readonly id?: string
  readonly name: string
  readonly url: string
  readonly event_types?: readonly ('message.sent' | 'message.suppressed' | 'message.missed' | 'message.cancelled' | 'message.aborted' | 'message.failed' | 'message.uncertain' | 'message.delivered' | 'message.bounced' | 'message.complained' | 'message.opened' | 'message.clicked' | 'message.unsubscribed' | 'subscription.changed' | 'person.created' | 'person.merged' | 'person.deleted')[]
  readonly state?: 'active' | 'paused'
  readonly secret?: string
}

export type PostAdminWebhooksQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the webhooks. */
export function postAdminWebhooks(body: PostAdminWebhooksBody, query: PostAdminWebhooksQuery = {}): Operation<PostAdminWebhooksReply> {
  return { method: 'POST', path: withQuery('/admin/webhooks', query), body }
}

export type GetAdminWebhooksReply = {
  readonly webhooks: readonly ({
    readonly id: string
    readonly name: string
    readonly url: string
    readonly event_types: readonly string[]
    readonly state: 'active' | 'paused'
    readonly secret?: string
  })[]
  readonly message: 'success'
}

export type GetAdminWebhooksQuery = {
  readonly workspace?: string | undefined
}

/** List the webhooks of a workspace. */
export function getAdminWebhooks(query: GetAdminWebhooksQuery = {}): Operation<GetAdminWebhooksReply> {
  return { method: 'GET', path: withQuery('/admin/webhooks', query) }
}

export type PatchAdminWebhooksIdReply = {
  readonly webhook: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly event_types: readonly string[]
    readonly state: 'active' | 'paused'
    readonly secret?: string
  }
  readonly message: 'success'
}

export type PatchAdminWebhooksIdBody = {
  readonly id?: string
  readonly name?: string
  readonly url?: string
  readonly event_types?: readonly ('message.sent' | 'message.suppressed' | 'message.missed' | 'message.cancelled' | 'message.aborted' | 'message.failed' | 'message.uncertain' | 'message.delivered' | 'message.bounced' | 'message.complained' | 'message.opened' | 'message.clicked' | 'message.unsubscribed' | 'subscription.changed' | 'person.created' | 'person.merged' | 'person.deleted')[]
  readonly state?: 'active' | 'paused'
  readonly secret?: string
}

export type PatchAdminWebhooksIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the webhooks. */
export function patchAdminWebhooksId(id: string, body: PatchAdminWebhooksIdBody, query: PatchAdminWebhooksIdQuery = {}): Operation<PatchAdminWebhooksIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/webhooks/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminWebhooksIdReply = unknown

export type DeleteAdminWebhooksIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a webhook, with its attempts. Events that it did not get are not sent. */
export function deleteAdminWebhooksId(id: string, query: DeleteAdminWebhooksIdQuery = {}): Operation<DeleteAdminWebhooksIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/webhooks/${encodeURIComponent(id)}`, query) }
}

export type GetAdminWebhookDeliveriesReply = {
  readonly deliveries: readonly ({
    readonly id: string
    readonly name: string
    readonly url: string
    readonly state: 'active' | 'paused' | 'set_aside'
    readonly cursor: string
    readonly waiting: number
    readonly failures: number
    readonly failing_since: string | null
    readonly next_attempt_at: string | null
    readonly delivered_at: string | null
    readonly set_aside_at: string | null
    readonly set_aside_because: string | null
    readonly previous_secret_until: string | null
    readonly lost: number
  })[]
  readonly message: 'success'
}

export type GetAdminWebhookDeliveriesQuery = {
  readonly workspace?: string | undefined
}

/** Read how the delivery of events to each webhook is going. */
export function getAdminWebhookDeliveries(query: GetAdminWebhookDeliveriesQuery = {}): Operation<GetAdminWebhookDeliveriesReply> {
  return { method: 'GET', path: withQuery('/admin/webhook_deliveries', query) }
}

export type GetAdminWebhooksIdAttemptsReply = {
  readonly delivery: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly state: 'active' | 'paused' | 'set_aside'
    readonly cursor: string
    readonly waiting: number
    readonly failures: number
    readonly failing_since: string | null
    readonly next_attempt_at: string | null
    readonly delivered_at: string | null
    readonly set_aside_at: string | null
    readonly set_aside_because: string | null
    readonly previous_secret_until: string | null
    readonly lost: number
  }
  readonly attempts: readonly ({
    readonly id: string
    readonly event_id: string
    readonly type: string
    readonly cursor: string | null
    readonly at: string
    readonly duration_ms: number
    readonly status: number | null
    readonly error: string | null
    readonly answer: string | null
  })[]
  readonly message: 'success'
}

export type GetAdminWebhooksIdAttemptsQuery = {
  readonly workspace?: string | undefined
  readonly limit?: number | undefined
}

/** Read how the delivery to a webhook is going, and its newest attempts. */
export function getAdminWebhooksIdAttempts(id: string, query: GetAdminWebhooksIdAttemptsQuery = {}): Operation<GetAdminWebhooksIdAttemptsReply> {
  return { method: 'GET', path: withQuery(`/admin/webhooks/${encodeURIComponent(id)}/attempts`, query) }
}

export const getAdminWebhooksIdAttemptsLimits = { limit: { minimum: 1, maximum: 200 } } as const

export type PostAdminWebhooksIdResumeReply = {
  readonly delivery: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly state: 'active' | 'paused' | 'set_aside'
    readonly cursor: string
    readonly waiting: number
    readonly failures: number
    readonly failing_since: string | null
    readonly next_attempt_at: string | null
    readonly delivered_at: string | null
    readonly set_aside_at: string | null
    readonly set_aside_because: string | null
    readonly previous_secret_until: string | null
    readonly lost: number
  }
  readonly message: 'success'
}

export type PostAdminWebhooksIdResumeQuery = {
  readonly workspace?: string | undefined
}

/** Send again to a webhook that was set aside or waits after a failure. */
export function postAdminWebhooksIdResume(id: string, query: PostAdminWebhooksIdResumeQuery = {}): Operation<PostAdminWebhooksIdResumeReply> {
  return { method: 'POST', path: withQuery(`/admin/webhooks/${encodeURIComponent(id)}/resume`, query) }
}

export type PostAdminWebhooksIdReplayReply = {
  readonly delivery: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly state: 'active' | 'paused' | 'set_aside'
    readonly cursor: string
    readonly waiting: number
    readonly failures: number
    readonly failing_since: string | null
    readonly next_attempt_at: string | null
    readonly delivered_at: string | null
    readonly set_aside_at: string | null
    readonly set_aside_because: string | null
    readonly previous_secret_until: string | null
    readonly lost: number
  }
  readonly message: 'success'
}

export type PostAdminWebhooksIdReplayBody = { readonly from?: string; readonly cursor?: string }

export type PostAdminWebhooksIdReplayQuery = {
  readonly workspace?: string | undefined
}

/** Send events again, since a time or behind a cursor, and then what came since. */
export function postAdminWebhooksIdReplay(id: string, body: PostAdminWebhooksIdReplayBody, query: PostAdminWebhooksIdReplayQuery = {}): Operation<PostAdminWebhooksIdReplayReply> {
  return { method: 'POST', path: withQuery(`/admin/webhooks/${encodeURIComponent(id)}/replay`, query), body }
}

export type PostAdminWebhooksIdRotateReply = {
  readonly delivery: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly state: 'active' | 'paused' | 'set_aside'
    readonly cursor: string
    readonly waiting: number
    readonly failures: number
    readonly failing_since: string | null
    readonly next_attempt_at: string | null
    readonly delivered_at: string | null
    readonly set_aside_at: string | null
    readonly set_aside_because: string | null
    readonly previous_secret_until: string | null
    readonly lost: number
  }
  readonly secret: string
  readonly message: 'success'
}

export type PostAdminWebhooksIdRotateBody = { readonly overlap?: string }

export type PostAdminWebhooksIdRotateQuery = {
  readonly workspace?: string | undefined
}

/** Make a new secret. The one before signs as well for a while. */
export function postAdminWebhooksIdRotate(id: string, body: PostAdminWebhooksIdRotateBody, query: PostAdminWebhooksIdRotateQuery = {}): Operation<PostAdminWebhooksIdRotateReply> {
  return { method: 'POST', path: withQuery(`/admin/webhooks/${encodeURIComponent(id)}/rotate`, query), body }
}

export type PostAdminWebhooksIdTestReply = {
  readonly attempt: {
    readonly id: string
    readonly event_id: string
    readonly type: string
    readonly cursor: string | null
    readonly at: string
    readonly duration_ms: number
    readonly status: number | null
    readonly error: string | null
    readonly answer: string | null
  }
  readonly message: 'success'
}

export type PostAdminWebhooksIdTestQuery = {
  readonly workspace?: string | undefined
}

/** Send an event of the type `webhook.test` now. */
export function postAdminWebhooksIdTest(id: string, query: PostAdminWebhooksIdTestQuery = {}): Operation<PostAdminWebhooksIdTestReply> {
  return { method: 'POST', path: withQuery(`/admin/webhooks/${encodeURIComponent(id)}/test`, query) }
}

export type GetAdminAccountsReply = {
  readonly accounts: readonly ({
    readonly id: string
    readonly user_name: string
    readonly given_name: string
    readonly family_name: string
    readonly department: string | null
    readonly state: 'active' | 'invited' | 'disabled'
    readonly is_administrator: boolean
    readonly sentence: string
    readonly last_sign_in_at: string | null
    readonly created_at: string
  })[]
  readonly total: number
  readonly cursor: string | null
  readonly message: 'success'
}

export type GetAdminAccountsQuery = {
  readonly q?: string | undefined
  readonly state?: 'active' | 'invited' | 'disabled' | undefined
  readonly role?: string | undefined
  readonly permission_set?: string | undefined
  readonly team?: string | undefined
  readonly workspace?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List accounts by their names, or search them. */
export function getAdminAccounts(query: GetAdminAccountsQuery = {}): Operation<GetAdminAccountsReply> {
  return { method: 'GET', path: withQuery('/admin/accounts', query) }
}

export const getAdminAccountsLimits = { q: { maxLength: 200 }, limit: { minimum: 1, maximum: 200 } } as const

export type PostAdminAccountsReply = {
  readonly account: {
    readonly id: string
    readonly user_name: string
    readonly given_name: string
    readonly family_name: string
    readonly department: string | null
    readonly state: 'active' | 'invited' | 'disabled'
    readonly is_administrator: boolean
    readonly sentence: string
    readonly last_sign_in_at: string | null
    readonly created_at: string
    readonly display_name: string | null
    readonly mail_to: string
    readonly is_provisioned: boolean
    readonly is_own: boolean
    readonly updated_at: string
    readonly permissions: { readonly [name: string]: unknown }
    readonly allows: readonly string[]
    readonly workspaces: readonly ({
      readonly id: string
      readonly name: string
      readonly allows: readonly string[]
      readonly sources: readonly ({
        readonly kind: 'permissions' | 'role' | 'permission_set'
        readonly id: string | null
        readonly name: string | null
        readonly permissions: readonly string[]
      })[]
      readonly teams: readonly {
        readonly id: string
        readonly name: string
        readonly permissions: readonly string[]
      }[]
    })[]
  }
  readonly link: { readonly to: string; readonly expires_at: string } | null
  readonly link_refusal: string | null
  readonly message: 'success'
}

export type PostAdminAccountsBody = {
  readonly user_name: string
  readonly given_name: string
  readonly family_name?: string
  readonly department?: string | null
  readonly permissions?: { readonly [name: string]: unknown }
  readonly send_link?: boolean
}

/** Create an account, and mail it a link to sign in. */
export function postAdminAccounts(body: PostAdminAccountsBody): Operation<PostAdminAccountsReply> {
  return { method: 'POST', path: '/admin/accounts', body }
}

export type GetAdminAccountsIdReply = {
  readonly account: {
    readonly id: string
    readonly user_name: string
    readonly given_name: string
    readonly family_name: string
    readonly department: string | null
    readonly state: 'active' | 'invited' | 'disabled'
    readonly is_administrator: boolean
    readonly sentence: string
    readonly last_sign_in_at: string | null
    readonly created_at: string
    readonly display_name: string | null
    readonly mail_to: string
    readonly is_provisioned: boolean
    readonly is_own: boolean
    readonly updated_at: string
    readonly permissions: { readonly [name: string]: unknown }
    readonly allows: readonly string[]
    readonly workspaces: readonly ({
      readonly id: string
      readonly name: string
      readonly allows: readonly string[]
      readonly sources: readonly ({
        readonly kind: 'permissions' | 'role' | 'permission_set'
        readonly id: string | null
        readonly name: string | null
        readonly permissions: readonly string[]
      })[]
      readonly teams: readonly {
        readonly id: string
        readonly name: string
        readonly permissions: readonly string[]
      }[]
    })[]
  }
  readonly message: 'success'
}

/** Read an account with what it may do in each workspace. */
export function getAdminAccountsId(id: string): Operation<GetAdminAccountsIdReply> {
  return { method: 'GET', path: `/admin/accounts/${encodeURIComponent(id)}` }
}

export type PatchAdminAccountsIdReply = {
  readonly account: {
    readonly id: string
    readonly user_name: string
    readonly given_name: string
    readonly family_name: string
    readonly department: string | null
    readonly state: 'active' | 'invited' | 'disabled'
    readonly is_administrator: boolean
    readonly sentence: string
    readonly last_sign_in_at: string | null
    readonly created_at: string
    readonly display_name: string | null
    readonly mail_to: string
    readonly is_provisioned: boolean
    readonly is_own: boolean
    readonly updated_at: string
    readonly permissions: { readonly [name: string]: unknown }
    readonly allows: readonly string[]
    readonly workspaces: readonly ({
      readonly id: string
      readonly name: string
      readonly allows: readonly string[]
      readonly sources: readonly ({
        readonly kind: 'permissions' | 'role' | 'permission_set'
        readonly id: string | null
        readonly name: string | null
        readonly permissions: readonly string[]
      })[]
      readonly teams: readonly {
        readonly id: string
        readonly name: string
        readonly permissions: readonly string[]
      }[]
    })[]
  }
  readonly message: 'success'
}

export type PatchAdminAccountsIdBody = {
  readonly user_name?: string
  readonly given_name?: string
  readonly family_name?: string
  readonly department?: string | null
  readonly active?: boolean
  readonly permissions?: { readonly [name: string]: unknown }
  readonly confirm_own?: boolean
}

/** Change some properties of an account, also its name. Nobody can give what they may not do themselves. */
export function patchAdminAccountsId(id: string, body: PatchAdminAccountsIdBody): Operation<PatchAdminAccountsIdReply> {
  return { method: 'PATCH', path: `/admin/accounts/${encodeURIComponent(id)}`, body }
}

export type DeleteAdminAccountsIdReply = unknown

export type DeleteAdminAccountsIdQuery = {
  readonly confirm_own?: 'true' | 'false' | undefined
}

/** Delete an account and end its sessions. */
export function deleteAdminAccountsId(id: string, query: DeleteAdminAccountsIdQuery = {}): Operation<DeleteAdminAccountsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/accounts/${encodeURIComponent(id)}`, query) }
}

export type PostAdminAccountsIdLinkReply = {
  readonly link: { readonly to: string; readonly expires_at: string }
  readonly message: 'success'
}

/** Mail a link to sign in to an account. */
export function postAdminAccountsIdLink(id: string): Operation<PostAdminAccountsIdLinkReply> {
  return { method: 'POST', path: `/admin/accounts/${encodeURIComponent(id)}/link` }
}

export type GetAdminHoldersReply = {
  readonly roles: readonly { readonly id: string; readonly accounts: number }[]
  readonly permission_sets: readonly { readonly id: string; readonly accounts: number }[]
  readonly teams: readonly { readonly id: string; readonly accounts: number }[]
  readonly message: 'success'
}

export type GetAdminHoldersQuery = {
  readonly workspace?: string | undefined
}

/** Count the accounts that have each role, permission set and team of a workspace. */
export function getAdminHolders(query: GetAdminHoldersQuery = {}): Operation<GetAdminHoldersReply> {
  return { method: 'GET', path: withQuery('/admin/holders', query) }
}

export type GetAdminPermissionsReply = {
  readonly company: readonly {
    readonly permission: string
    readonly group: string
    readonly allows: string
    readonly applies: boolean
    readonly needs_view_pii: boolean
  }[]
  readonly workspace: readonly {
    readonly permission: string
    readonly group: string
    readonly allows: string
    readonly applies: boolean
    readonly needs_view_pii: boolean
  }[]
  readonly team: readonly string[]
  readonly message: 'success'
}

/** List all permissions with what each allows, in plain words. */
export function getAdminPermissions(): Operation<GetAdminPermissionsReply> {
  return { method: 'GET', path: '/admin/permissions' }
}

export type GetAdminPermissionsTogetherReply = {
  readonly allows: readonly string[]
  readonly message: 'success'
}

export type GetAdminPermissionsTogetherQuery = {
  readonly level?: 'company' | 'workspace' | undefined
  readonly permissions?: string | undefined
}

/** Say in plain words what some permissions allow together. */
export function getAdminPermissionsTogether(query: GetAdminPermissionsTogetherQuery = {}): Operation<GetAdminPermissionsTogetherReply> {
  return { method: 'GET', path: withQuery('/admin/permissions/together', query) }
}

export type GetAdminPermissionsGiversReply = {
  readonly ability: string
  readonly allows: string
  readonly permissions: readonly string[]
  readonly givers: readonly { readonly name: string }[]
  readonly more: boolean
  readonly message: 'success'
}

export type GetAdminPermissionsGiversQuery = {
  readonly ability: string
}

/** Say who can give an ability that one lacks, by their names alone. */
export function getAdminPermissionsGivers(query: GetAdminPermissionsGiversQuery): Operation<GetAdminPermissionsGiversReply> {
  return { method: 'GET', path: withQuery('/admin/permissions/givers', query) }
}

export type GetAdminSessionsReply = {
  readonly sessions: readonly {
    readonly id: string
    readonly account_id: string
    readonly user_name: string
    readonly ip: string
    readonly user_agent: string
    readonly created_at: string
    readonly seen_at: string
    readonly expires_at: string
  }[]
  readonly message: 'success'
}

export type GetAdminSessionsQuery = {
  readonly user_name?: string | undefined
  readonly limit?: number | undefined
}

/** List open sessions, last seen first. */
export function getAdminSessions(query: GetAdminSessionsQuery = {}): Operation<GetAdminSessionsReply> {
  return { method: 'GET', path: withQuery('/admin/sessions', query) }
}

export const getAdminSessionsLimits = { limit: { minimum: 1, maximum: 1000 } } as const

export type DeleteAdminSessionsReply = { readonly ended: number; readonly message: 'success' }

export type DeleteAdminSessionsQuery = {
  readonly user_name?: string | undefined
  readonly all?: 'true' | 'false' | undefined
}

/** End all sessions of an account, or of all accounts. */
export function deleteAdminSessions(query: DeleteAdminSessionsQuery = {}): Operation<DeleteAdminSessionsReply> {
  return { method: 'DELETE', path: withQuery('/admin/sessions', query) }
}

export type DeleteAdminSessionsIdReply = unknown

/** End one session. */
export function deleteAdminSessionsId(id: string): Operation<DeleteAdminSessionsIdReply> {
  return { method: 'DELETE', path: `/admin/sessions/${encodeURIComponent(id)}` }
}

export type DeleteAdminIdentitiesReply = { readonly forgotten: number; readonly message: 'success' }

export type DeleteAdminIdentitiesQuery = {
  readonly user_name: string
}

/** Forget with which account of the identity provider an account signs in. Its next sign-in binds it anew. */
export function deleteAdminIdentities(query: DeleteAdminIdentitiesQuery): Operation<DeleteAdminIdentitiesReply> {
  return { method: 'DELETE', path: withQuery('/admin/identities', query) }
}

export type GetAdminScimTokensReply = {
  readonly tokens: readonly ({
    readonly id: string
    readonly name: string
    readonly token_start: string
    readonly origin: string | null
    readonly allowed_ips: readonly string[]
    readonly may_grant: boolean
    readonly created_at: string
    readonly last_used_at: string | null
  })[]
  readonly message: 'success'
}

/** List the SCIM tokens without their texts. */
export function getAdminScimTokens(): Operation<GetAdminScimTokensReply> {
  return { method: 'GET', path: '/admin/scim/tokens' }
}

export type PostAdminScimTokensReply = {
  readonly token: {
    readonly id: string
    readonly name: string
    readonly token_start: string
    readonly origin: string | null
    readonly allowed_ips: readonly string[]
    readonly may_grant: boolean
    readonly created_at: string
    readonly last_used_at: string | null
    readonly token: string
  }
  readonly message: 'success'
}

export type PostAdminScimTokensBody = {
  readonly name: string
  readonly origin?: string | null
  readonly allowed_ips?: readonly string[]
  readonly may_grant?: boolean
}

/** Create a SCIM token. Only this answer shows its text. */
export function postAdminScimTokens(body: PostAdminScimTokensBody): Operation<PostAdminScimTokensReply> {
  return { method: 'POST', path: '/admin/scim/tokens', body }
}

export type PostAdminScimTokensIdRotateReply = {
  readonly token: {
    readonly id: string
    readonly name: string
    readonly token_start: string
    readonly origin: string | null
    readonly allowed_ips: readonly string[]
    readonly may_grant: boolean
    readonly created_at: string
    readonly last_used_at: string | null
    readonly token: string
  }
  readonly message: 'success'
}

/** Replace the text of a SCIM token: the old text is refused everywhere within a second. */
export function postAdminScimTokensIdRotate(id: string): Operation<PostAdminScimTokensIdRotateReply> {
  return { method: 'POST', path: `/admin/scim/tokens/${encodeURIComponent(id)}/rotate` }
}

export type DeleteAdminScimTokensIdReply = unknown

/** Delete a SCIM token: it is refused everywhere within a second. */
export function deleteAdminScimTokensId(id: string): Operation<DeleteAdminScimTokensIdReply> {
  return { method: 'DELETE', path: `/admin/scim/tokens/${encodeURIComponent(id)}` }
}

export type GetAdminScimRequestsReply = {
  readonly since: string
  readonly process: string
  readonly counts: readonly ({
    readonly token_id: string | null
    readonly requests: number
    readonly refused: number
  })[]
  readonly requests: readonly ({
    readonly id: string
    readonly at: string
    readonly token_id: string | null
    readonly method: string
    readonly path: string
    readonly status: number
    readonly refusal: string | null
    readonly ip: string
    readonly ms: number
  })[]
  readonly message: 'success'
}

export type GetAdminScimRequestsQuery = {
  readonly token?: string | undefined
  readonly limit?: number | undefined
}

/** Count the requests of SCIM tokens since this process was started, and list the latest ones. */
export function getAdminScimRequests(query: GetAdminScimRequestsQuery = {}): Operation<GetAdminScimRequestsReply> {
  return { method: 'GET', path: withQuery('/admin/scim/requests', query) }
}

export const getAdminScimRequestsLimits = { limit: { minimum: 1, maximum: 200 } } as const

export type GetAdminTeamsReply = {
  readonly teams: readonly { readonly id: string; readonly name: string }[]
  readonly message: 'success'
}

export type GetAdminTeamsQuery = {
  readonly workspace?: string | undefined
}

/** List the teams of a workspace. */
export function getAdminTeams(query: GetAdminTeamsQuery = {}): Operation<GetAdminTeamsReply> {
  return { method: 'GET', path: withQuery('/admin/teams', query) }
}

export type PostAdminTeamsReply = {
  readonly team: { readonly id: string; readonly name: string }
  readonly message: 'success'
}

export type PostAdminTeamsBody = { readonly id?: string; readonly name: string }

export type PostAdminTeamsQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the teams. */
export function postAdminTeams(body: PostAdminTeamsBody, query: PostAdminTeamsQuery = {}): Operation<PostAdminTeamsReply> {
  return { method: 'POST', path: withQuery('/admin/teams', query), body }
}

export type PatchAdminTeamsIdReply = {
  readonly team: { readonly id: string; readonly name: string }
  readonly message: 'success'
}

export type PatchAdminTeamsIdBody = { readonly id?: string; readonly name?: string }

export type PatchAdminTeamsIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the teams. */
export function patchAdminTeamsId(id: string, body: PatchAdminTeamsIdBody, query: PatchAdminTeamsIdQuery = {}): Operation<PatchAdminTeamsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/teams/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminTeamsIdReply = unknown

export type DeleteAdminTeamsIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a team that no account has permissions for. */
export function deleteAdminTeamsId(id: string, query: DeleteAdminTeamsIdQuery = {}): Operation<DeleteAdminTeamsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/teams/${encodeURIComponent(id)}`, query) }
}

export type GetAdminRolesReply = {
  readonly roles: readonly {
    readonly id: string
    readonly name: string
    readonly permissions: readonly string[]
  }[]
  readonly message: 'success'
}

export type GetAdminRolesQuery = {
  readonly workspace?: string | undefined
}

/** List the roles of a workspace. */
export function getAdminRoles(query: GetAdminRolesQuery = {}): Operation<GetAdminRolesReply> {
  return { method: 'GET', path: withQuery('/admin/roles', query) }
}

export type PostAdminRolesReply = {
  readonly role: {
    readonly id: string
    readonly name: string
    readonly permissions: readonly string[]
  }
  readonly message: 'success'
}

export type PostAdminRolesBody = {
  readonly id?: string
  readonly name: string
  readonly permissions: readonly string[]
}

export type PostAdminRolesQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the roles. */
export function postAdminRoles(body: PostAdminRolesBody, query: PostAdminRolesQuery = {}): Operation<PostAdminRolesReply> {
  return { method: 'POST', path: withQuery('/admin/roles', query), body }
}

export type GetAdminRolesIdReply = {
  readonly role: {
    readonly id: string
    readonly name: string
    readonly permissions: readonly string[]
  }
  readonly message: 'success'
}

export type GetAdminRolesIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the roles. */
export function getAdminRolesId(id: string, query: GetAdminRolesIdQuery = {}): Operation<GetAdminRolesIdReply> {
  return { method: 'GET', path: withQuery(`/admin/roles/${encodeURIComponent(id)}`, query) }
}

export type PatchAdminRolesIdReply = {
  readonly role: {
    readonly id: string
    readonly name: string
    readonly permissions: readonly string[]
  }
  readonly message: 'success'
}

export type PatchAdminRolesIdBody = {
  readonly id?: string
  readonly name?: string
  readonly permissions?: readonly string[]
}

export type PatchAdminRolesIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the roles. */
export function patchAdminRolesId(id: string, body: PatchAdminRolesIdBody, query: PatchAdminRolesIdQuery = {}): Operation<PatchAdminRolesIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/roles/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminRolesIdReply = unknown

export type DeleteAdminRolesIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a role that no account has. */
export function deleteAdminRolesId(id: string, query: DeleteAdminRolesIdQuery = {}): Operation<DeleteAdminRolesIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/roles/${encodeURIComponent(id)}`, query) }
}

export type GetAdminPermissionSetsReply = {
  readonly permission_sets: readonly {
    readonly id: string
    readonly name: string
    readonly permissions: readonly string[]
  }[]
  readonly message: 'success'
}

export type GetAdminPermissionSetsQuery = {
  readonly workspace?: string | undefined
}

/** List the permission_sets of a workspace. */
export function getAdminPermissionSets(query: GetAdminPermissionSetsQuery = {}): Operation<GetAdminPermissionSetsReply> {
  return { method: 'GET', path: withQuery('/admin/permission_sets', query) }
}

export type PostAdminPermissionSetsReply = {
  readonly permission_set: {
    readonly id: string
    readonly name: string
    readonly permissions: readonly string[]
  }
  readonly message: 'success'
}

export type PostAdminPermissionSetsBody = {
  readonly id?: string
  readonly name: string
  readonly permissions: readonly string[]
}

export type PostAdminPermissionSetsQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the permission_sets. */
export function postAdminPermissionSets(body: PostAdminPermissionSetsBody, query: PostAdminPermissionSetsQuery = {}): Operation<PostAdminPermissionSetsReply> {
  return { method: 'POST', path: withQuery('/admin/permission_sets', query), body }
}

export type GetAdminPermissionSetsIdReply = {
  readonly permission_set: {
    readonly id: string
    readonly name: string
    readonly permissions: readonly string[]
  }
  readonly message: 'success'
}

export type GetAdminPermissionSetsIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the permission_sets. */
export function getAdminPermissionSetsId(id: string, query: GetAdminPermissionSetsIdQuery = {}): Operation<GetAdminPermissionSetsIdReply> {
  return { method: 'GET', path: withQuery(`/admin/permission_sets/${encodeURIComponent(id)}`, query) }
}

export type PatchAdminPermissionSetsIdReply = {
  readonly permission_set: {
    readonly id: string
    readonly name: string
    readonly permissions: readonly string[]
  }
  readonly message: 'success'
}

export type PatchAdminPermissionSetsIdBody = {
  readonly id?: string
  readonly name?: string
  readonly permissions?: readonly string[]
}

export type PatchAdminPermissionSetsIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the permission_sets. */
export function patchAdminPermissionSetsId(id: string, body: PatchAdminPermissionSetsIdBody, query: PatchAdminPermissionSetsIdQuery = {}): Operation<PatchAdminPermissionSetsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/permission_sets/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminPermissionSetsIdReply = unknown

export type DeleteAdminPermissionSetsIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a permission set that no account has. */
export function deleteAdminPermissionSetsId(id: string, query: DeleteAdminPermissionSetsIdQuery = {}): Operation<DeleteAdminPermissionSetsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/permission_sets/${encodeURIComponent(id)}`, query) }
}

export type GetAdminAuditReply = {
  readonly audit: readonly ({
    readonly id: string
    readonly kind: 'change' | 'access' | 'refusal'
    readonly at: string
    readonly workspace: string | null
    readonly actor: {
      readonly kind: 'account' | 'scim' | 'admin' | 'system' | 'key' | 'anonymous'
      readonly id: string
      readonly name: string
    }
    readonly from: { readonly ip: string; readonly request_id: string }
    readonly action: string
    readonly target: {
      readonly kind: string
      readonly id: string
      readonly name: string | null
    }
    readonly before: { readonly [name: string]: unknown } | null
    readonly after: { readonly [name: string]: unknown } | null
    readonly is_cut?: true
  })[]
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminAuditQuery = {
  readonly workspace?: string | undefined
  readonly actor?: string | undefined
  readonly target?: string | undefined
  readonly action?: string | undefined
  readonly kind?: string | undefined
  readonly request_id?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List administrative changes with their authors, newest first. */
export function getAdminAudit(query: GetAdminAuditQuery = {}): Operation<GetAdminAuditReply> {
  return { method: 'GET', path: withQuery('/admin/audit', query) }
}

export const getAdminAuditLimits = { limit: { minimum: 1, maximum: 200 } } as const

export type GetAdminAuditIdReply = {
  readonly entry: {
    readonly id: string
    readonly kind: 'change' | 'access' | 'refusal'
    readonly at: string
    readonly workspace: string | null
    readonly actor: {
      readonly kind: 'account' | 'scim' | 'admin' | 'system' | 'key' | 'anonymous'
      readonly id: string
      readonly name: string
    }
    readonly from: { readonly ip: string; readonly request_id: string }
    readonly action: string
    readonly target: {
      readonly kind: string
      readonly id: string
      readonly name: string | null
    }
    readonly before: { readonly [name: string]: unknown } | null
    readonly after: { readonly [name: string]: unknown } | null
    readonly is_cut?: true
  }
  readonly message: 'success'
}

/** Read one administrative change with all recorded data. */
export function getAdminAuditId(id: string): Operation<GetAdminAuditIdReply> {
  return { method: 'GET', path: `/admin/audit/${encodeURIComponent(id)}` }
}

export type GetAdminSettingsReply = {
  readonly settings: { readonly [name: string]: unknown }
  readonly set: { readonly [name: string]: unknown }
  readonly message: 'success'
}

export type GetAdminSettingsQuery = {
  readonly workspace?: string | undefined
}

/** Read the settings in effect, and those that were set. */
export function getAdminSettings(query: GetAdminSettingsQuery = {}): Operation<GetAdminSettingsReply> {
  return { method: 'GET', path: withQuery('/admin/settings', query) }
}

export type PatchAdminSettingsReply = {
  readonly settings: { readonly [name: string]: unknown }
  readonly set: { readonly [name: string]: unknown }
  readonly message: 'success'
}

export type PatchAdminSettingsBody = {
  readonly time_zone?: string
  readonly reserved_external_ids?: readonly string[]
  readonly reserved_ids_partial?: boolean
  readonly attribute_blocklist?: readonly string[]
  readonly strict?: boolean
  readonly local_email_domains?: boolean
  readonly nested_nulls?: 'drop_key' | 'refuse_attribute' | 'store'
  readonly rate_limits?: {
    readonly track?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly track_sync?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly export_ids?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly subscription_user_status?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly canvas_schedule?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly catalogs?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly catalog_fields?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly catalog_items?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly catalog_items_bulk?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly sending?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly transactional?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly preference_centers?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly cohorts?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly duplicates?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly sdk_data?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly sdk_data_address?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly scim?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
    readonly webhooks?: 'unlimited' | {
      readonly burst_per_second?: number
      readonly per_minute?: number
      readonly per_hour?: number
      readonly per_day?: number
    }
  }
  readonly event_retention?: string
  readonly export_all_fields?: boolean
  readonly regex_characters_max?: number
  readonly from_name?: string
  readonly reply_to?: string
  readonly bcc?: readonly string[]
  readonly should_inline_css?: boolean
  readonly departments?: readonly string[]
  readonly default_department?: string
  readonly ledger_retention?: string
  readonly feed?: boolean
  readonly feed_retention?: string
  readonly extras_header?: string
  readonly attachments_max?: number
  readonly attachments_bytes_max?: number
  readonly track_opens?: boolean
  readonly track_clicks?: boolean
  readonly api_log?: boolean
  readonly email_rates?: {
    readonly per_second?: number
    readonly domains?: { readonly [name: string]: number }
  }
  readonly sms?: {
    readonly from?: string
    readonly from_by_group?: { readonly [name: string]: string }
    readonly per_second?: number
    readonly stop_reply?: string
    readonly start_reply?: string
    readonly help_reply?: string
  }
  readonly mail_delivery?: 'server' | 'inbox'
  readonly quiet_hours?: { readonly start: string; readonly end: string }
  readonly local_time_delay_max?: string
  readonly frequency_cap?: readonly ({
    readonly count: number
    readonly per: string
    readonly channel?: 'email' | 'sms'
  })[]
  readonly global_control_group?: {
    readonly ranges: readonly { readonly from: number; readonly to: number }[]
  }
  readonly webhooks?: {
    readonly amazon_ses?: { readonly topic_arn: string }
    readonly sendgrid?: { readonly public_key: string }
    readonly mailgun?: { readonly credential: string }
  }
  readonly transactional_status_url?: string
  readonly scim?: {
    readonly status?: 'number' | 'string'
    readonly unknown_permissions?: 'refuse' | 'keep'
    readonly unknown_departments?: 'keep' | 'default' | 'refuse'
    readonly default_role?: string
  }
}

export type PatchAdminSettingsQuery = {
  readonly workspace?: string | undefined
}

/** Change settings; null resets one to its default. */
export function patchAdminSettings(body: PatchAdminSettingsBody, query: PatchAdminSettingsQuery = {}): Operation<PatchAdminSettingsReply> {
  return { method: 'PATCH', path: withQuery('/admin/settings', query), body }
}

export type PatchAdminWorkspaceReply = {
  readonly workspace: { readonly id: string; readonly name: string }
  readonly message: 'success'
}

export type PatchAdminWorkspaceBody = { readonly id?: string; readonly name?: string }

export type PatchAdminWorkspaceQuery = {
  readonly workspace?: string | undefined
}

/** Rename a workspace. */
export function patchAdminWorkspace(body: PatchAdminWorkspaceBody, query: PatchAdminWorkspaceQuery = {}): Operation<PatchAdminWorkspaceReply> {
  return { method: 'PATCH', path: withQuery('/admin/workspace', query), body }
}

export type GetAdminDkimKeysReply = {
  readonly dkim_keys: readonly {
    readonly id: string
    readonly name: string
    readonly selector: string
    readonly private_key?: string
  }[]
  readonly message: 'success'
}

export type GetAdminDkimKeysQuery = {
  readonly workspace?: string | undefined
}

/** List the dkim_keys of a workspace. */
export function getAdminDkimKeys(query: GetAdminDkimKeysQuery = {}): Operation<GetAdminDkimKeysReply> {
  return { method: 'GET', path: withQuery('/admin/dkim_keys', query) }
}

export type PostAdminDkimKeysReply = {
  readonly dkim_key: {
    readonly id: string
    readonly name: string
    readonly selector: string
    readonly private_key?: string
  }
  readonly message: 'success'
}

export type PostAdminDkimKeysBody = {
  readonly id?: string
  readonly name: string
  readonly selector: string
  readonly private_key?: string
}

export type PostAdminDkimKeysQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the dkim_keys. */
export function postAdminDkimKeys(body: PostAdminDkimKeysBody, query: PostAdminDkimKeysQuery = {}): Operation<PostAdminDkimKeysReply> {
  return { method: 'POST', path: withQuery('/admin/dkim_keys', query), body }
}

export type DeleteAdminDkimKeysIdReply = unknown

export type DeleteAdminDkimKeysIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a DKIM key. Mail from its domain is not signed any more. */
export function deleteAdminDkimKeysId(id: string, query: DeleteAdminDkimKeysIdQuery = {}): Operation<DeleteAdminDkimKeysIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/dkim_keys/${encodeURIComponent(id)}`, query) }
}

export type GetAdminDkimKeysIdRecordsReply = {
  readonly domain: string
  readonly records: readonly ({
    readonly purpose: 'dkim' | 'spf' | 'dmarc' | 'return_path' | 'links'
    readonly type: 'TXT' | 'MX' | 'A'
    readonly name: string
    readonly value: string | null
    readonly explanation: string
    readonly state: 'found' | 'missing' | 'different' | 'unknown' | 'not_checked'
    readonly found: readonly string[]
    readonly sentence: string
  })[]
  readonly message: 'success'
}

export type GetAdminDkimKeysIdRecordsQuery = {
  readonly workspace?: string | undefined
}

/** Read the DNS records that a mail domain should have. */
export function getAdminDkimKeysIdRecords(id: string, query: GetAdminDkimKeysIdRecordsQuery = {}): Operation<GetAdminDkimKeysIdRecordsReply> {
  return { method: 'GET', path: withQuery(`/admin/dkim_keys/${encodeURIComponent(id)}/records`, query) }
}

export type PostAdminDkimKeysIdCheckReply = {
  readonly domain: string
  readonly records: readonly ({
    readonly purpose: 'dkim' | 'spf' | 'dmarc' | 'return_path' | 'links'
    readonly type: 'TXT' | 'MX' | 'A'
    readonly name: string
    readonly value: string | null
    readonly explanation: string
    readonly state: 'found' | 'missing' | 'different' | 'unknown' | 'not_checked'
    readonly found: readonly string[]
    readonly sentence: string
  })[]
  readonly message: 'success'
}

export type PostAdminDkimKeysIdCheckQuery = {
  readonly workspace?: string | undefined
}

/** Ask DNS which of the records of a mail domain it has. */
export function postAdminDkimKeysIdCheck(id: string, query: PostAdminDkimKeysIdCheckQuery = {}): Operation<PostAdminDkimKeysIdCheckReply> {
  return { method: 'POST', path: withQuery(`/admin/dkim_keys/${encodeURIComponent(id)}/check`, query) }
}

export type GetAdminCredentialsReply = {
  readonly credentials: readonly {
    readonly id: string
    readonly name: string
    readonly user_name: string
    readonly password?: string
    readonly origins?: readonly string[]
  }[]
  readonly message: 'success'
}

export type GetAdminCredentialsQuery = {
  readonly workspace?: string | undefined
}

/** List the credentials of a workspace. */
export function getAdminCredentials(query: GetAdminCredentialsQuery = {}): Operation<GetAdminCredentialsReply> {
  return { method: 'GET', path: withQuery('/admin/credentials', query) }
}

export type PostAdminCredentialsReply = {
  readonly credential: {
    readonly id: string
    readonly name: string
    readonly user_name: string
    readonly password?: string
    readonly origins?: readonly string[]
  }
  readonly message: 'success'
}

export type PostAdminCredentialsBody = {
  readonly id?: string
  readonly name: string
  readonly user_name: string
  readonly password?: string
  readonly origins?: readonly string[]
}

export type PostAdminCredentialsQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the credentials. */
export function postAdminCredentials(body: PostAdminCredentialsBody, query: PostAdminCredentialsQuery = {}): Operation<PostAdminCredentialsReply> {
  return { method: 'POST', path: withQuery('/admin/credentials', query), body }
}

export type GetAdminCredentialsIdReply = {
  readonly credential: {
    readonly id: string
    readonly name: string
    readonly user_name: string
    readonly password?: string
    readonly origins?: readonly string[]
  }
  readonly message: 'success'
}

export type GetAdminCredentialsIdQuery = {
  readonly workspace?: string | undefined
}

/** Read one of the credentials. */
export function getAdminCredentialsId(id: string, query: GetAdminCredentialsIdQuery = {}): Operation<GetAdminCredentialsIdReply> {
  return { method: 'GET', path: withQuery(`/admin/credentials/${encodeURIComponent(id)}`, query) }
}

export type PatchAdminCredentialsIdReply = {
  readonly credential: {
    readonly id: string
    readonly name: string
    readonly user_name: string
    readonly password?: string
    readonly origins?: readonly string[]
  }
  readonly message: 'success'
}

export type PatchAdminCredentialsIdBody = {
  readonly id?: string
  readonly name?: string
  readonly user_name?: string
  readonly password?: string
  readonly origins?: readonly string[]
}

export type PatchAdminCredentialsIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the credentials. */
export function patchAdminCredentialsId(id: string, body: PatchAdminCredentialsIdBody, query: PatchAdminCredentialsIdQuery = {}): Operation<PatchAdminCredentialsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/credentials/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminCredentialsIdReply = unknown

export type DeleteAdminCredentialsIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete a credential. Requests that need it fail from then on. */
export function deleteAdminCredentialsId(id: string, query: DeleteAdminCredentialsIdQuery = {}): Operation<DeleteAdminCredentialsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/credentials/${encodeURIComponent(id)}`, query) }
}

export type PostAdminAppsReply = {
  readonly app: {
    readonly id: string
    readonly name: string
    readonly platform: 'android' | 'ios' | 'web' | 'email' | 'sms' | 'server' | 'other'
  }
  readonly message: 'success'
}

export type PostAdminAppsBody = {
  readonly id?: string
  readonly name: string
  readonly platform: 'android' | 'ios' | 'web' | 'email' | 'sms' | 'server' | 'other'
}

export type PostAdminAppsQuery = {
  readonly workspace?: string | undefined
}

/** Create one of the apps. */
export function postAdminApps(body: PostAdminAppsBody, query: PostAdminAppsQuery = {}): Operation<PostAdminAppsReply> {
  return { method: 'POST', path: withQuery('/admin/apps', query), body }
}

export type PatchAdminAppsIdReply = {
  readonly app: {
    readonly id: string
    readonly name: string
    readonly platform: 'android' | 'ios' | 'web' | 'email' | 'sms' | 'server' | 'other'
  }
  readonly message: 'success'
}

export type PatchAdminAppsIdBody = {
  readonly id?: string
  readonly name?: string
  readonly platform?: 'android' | 'ios' | 'web' | 'email' | 'sms' | 'server' | 'other'
}

export type PatchAdminAppsIdQuery = {
  readonly workspace?: string | undefined
}

/** Change some properties of one of the apps. */
export function patchAdminAppsId(id: string, body: PatchAdminAppsIdBody, query: PatchAdminAppsIdQuery = {}): Operation<PatchAdminAppsIdReply> {
  return { method: 'PATCH', path: withQuery(`/admin/apps/${encodeURIComponent(id)}`, query), body }
}

export type DeleteAdminAppsIdReply = unknown

export type DeleteAdminAppsIdQuery = {
  readonly workspace?: string | undefined
}

/** Delete an app. */
export function deleteAdminAppsId(id: string, query: DeleteAdminAppsIdQuery = {}): Operation<DeleteAdminAppsIdReply> {
  return { method: 'DELETE', path: withQuery(`/admin/apps/${encodeURIComponent(id)}`, query) }
}

export type GetAdminFileReply = {
  readonly file: string | { readonly [name: string]: unknown }
  readonly omitted: readonly {
    readonly path: string
    readonly member: string
    readonly note: string
  }[]
  readonly message: 'success'
}

export type GetAdminFileQuery = {
  readonly workspace?: string | undefined
  readonly format?: 'yaml' | 'json' | undefined
  readonly sections?: string | undefined
}

/** Read a workspace as a workspace file, without secrets. */
export function getAdminFile(query: GetAdminFileQuery = {}): Operation<GetAdminFileReply> {
  return { method: 'GET', path: withQuery('/admin/file', query) }
}

export type PostAdminApplyReply = {
  readonly workspace: { readonly id: string; readonly name: string }
  readonly changes: readonly ({
    readonly member: string
    readonly id: string
    readonly name: string
    readonly action: 'create' | 'update'
    readonly before: unknown
    readonly after: unknown
    readonly notes?: readonly string[]
  })[]
  readonly secrets: readonly {
    readonly member: string
    readonly id: string
    readonly name: string
    readonly key: string
  }[]
  readonly message: 'success'
}

export type PostAdminApplyBody = {
  readonly workspace?: { readonly id?: string; readonly name?: string }
  readonly settings?: {
    readonly time_zone?: string
    readonly reserved_external_ids?: readonly string[]
    readonly reserved_ids_partial?: boolean
    readonly attribute_blocklist?: readonly string[]
    readonly strict?: boolean
    readonly local_email_domains?: boolean
    readonly nested_nulls?: 'drop_key' | 'refuse_attribute' | 'store'
    readonly rate_limits?: {
      readonly track?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly track_sync?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly export_ids?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly subscription_user_status?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly canvas_schedule?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly catalogs?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly catalog_fields?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly catalog_items?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly catalog_items_bulk?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly sending?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly transactional?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly preference_centers?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly cohorts?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly duplicates?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly sdk_data?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly sdk_data_address?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly scim?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
      readonly webhooks?: 'unlimited' | {
        readonly burst_per_second?: number
        readonly per_minute?: number
        readonly per_hour?: number
        readonly per_day?: number
      }
    }
    readonly event_retention?: string
    readonly export_all_fields?: boolean
    readonly regex_characters_max?: number
    readonly from_name?: string
    readonly reply_to?: string
    readonly bcc?: readonly string[]
    readonly should_inline_css?: boolean
    readonly departments?: readonly string[]
    readonly default_department?: string
    readonly ledger_retention?: string
    readonly feed?: boolean
    readonly feed_retention?: string
    readonly extras_header?: string
    readonly attachments_max?: number
    readonly attachments_bytes_max?: number
    readonly track_opens?: boolean
    readonly track_clicks?: boolean
    readonly api_log?: boolean
    readonly email_rates?: {
      readonly per_second?: number
      readonly domains?: { readonly [name: string]: number }
    }
    readonly sms?: {
      readonly from?: string
      readonly from_by_group?: { readonly [name: string]: string }
      readonly per_second?: number
      readonly stop_reply?: string
      readonly start_reply?: string
      readonly help_reply?: string
    }
    readonly mail_delivery?: 'server' | 'inbox'
    readonly quiet_hours?: { readonly start: string; readonly end: string }
    readonly local_time_delay_max?: string
    readonly frequency_cap?: readonly ({
      readonly count: number
      readonly per: string
      readonly channel?: 'email' | 'sms'
    })[]
    readonly global_control_group?: {
      readonly ranges: readonly { readonly from: number; readonly to: number }[]
    }
    readonly webhooks?: {
      readonly amazon_ses?: { readonly topic_arn: string }
      readonly sendgrid?: { readonly public_key: string }
      readonly mailgun?: { readonly credential: string }
    }
    readonly transactional_status_url?: string
    readonly scim?: {
      readonly status?: 'number' | 'string'
      readonly unknown_permissions?: 'refuse' | 'keep'
      readonly unknown_departments?: 'keep' | 'default' | 'refuse'
      readonly default_role?: string
    }
  }
  readonly apps?: readonly ({
    readonly id?: string
    readonly name: string
    readonly platform: 'android' | 'ios' | 'web' | 'email' | 'sms' | 'server' | 'other'
  })[]
  readonly api_keys?: readonly ({
    readonly id?: string
    readonly name: string
    readonly key?: string
    readonly permissions: readonly ('*' | 'users.track' | 'users.track.sync' | 'users.delete' | 'users.alias.new' | 'users.alias.update' | 'users.identify' | 'users.export.ids' | 'users.export.segment' | 'users.export.global_control_group' | 'users.merge' | 'users.external_ids.rename' | 'users.external_ids.remove' | 'email.unsubscribe' | 'email.status' | 'email.hard_bounces' | 'email.bounce.remove' | 'email.spam.remove' | 'email.blacklist' | 'messages.send' | 'messages.schedule.create' | 'messages.schedule.update' | 'messages.schedule.delete' | 'messages.schedule_broadcasts' | 'messages.live_activity.update' | 'campaigns.trigger.send' | 'campaigns.trigger.schedule.create' | 'campaigns.trigger.schedule.update' | 'campaigns.trigger.schedule.delete' | 'campaigns.list' | 'campaigns.data_series' | 'campaigns.details' | 'campaigns.url_info.details' | 'campaigns.duplicate' | 'sends.data_series' | 'sends.id.create' | 'transactional.send' | 'canvas.trigger.send' | 'canvas.trigger.schedule.create' | 'canvas.trigger.schedule.update' | 'canvas.trigger.schedule.delete' | 'canvas.list' | 'canvas.data_series' | 'canvas.data_summary' | 'canvas.details' | 'canvas.url_info.details' | 'canvas.duplicate' | 'segments.list' | 'segments.data_series' | 'segments.details' | 'purchases.product_list' | 'purchases.revenue_series' | 'purchases.quantity_series' | 'events.list' | 'events.data_series' | 'sessions.data_series' | 'kpi.dau.data_series' | 'kpi.mau.data_series' | 'kpi.new_users.data_series' | 'kpi.uninstalls.data_series' | 'feed.list' | 'feed.details' | 'feed.data_series' | 'templates.email.create' | 'templates.email.info' | 'templates.email.list' | 'templates.email.update' | 'content_blocks.info' | 'content_blocks.list' | 'content_blocks.create' | 'content_blocks.update' | 'media_library.create' | 'subscription.status.set' | 'subscription.status.get' | 'subscription.groups.get' | 'preference_center.get' | 'preference_center.list' | 'preference_center.update' | 'preference_center.user.get' | 'partners.cohorts' | 'sms.invalid_phone_numbers' | 'sms.invalid_phone_numbers.remove' | 'catalogs.add_items' | 'catalogs.update_items' | 'catalogs.delete_items' | 'catalogs.replace_items' | 'catalogs.get_items' | 'catalogs.get_item' | 'catalogs.create_item' | 'catalogs.update_item' | 'catalogs.replace_item' | 'catalogs.delete_item' | 'catalogs.create' | 'catalogs.get' | 'catalogs.delete' | 'catalogs.create_fields' | 'catalogs.delete_fields' | 'catalogs.create_selection' | 'catalogs.delete_selection' | 'sdk_authentication.create' | 'sdk_authentication.primary' | 'sdk_authentication.delete' | 'sdk_authentication.keys' | 'sdk.data' | 'custom_attributes.get' | 'custom_attributes.blocklist' | 'cdi.integration_list' | 'cdi.integration_sync' | 'cdi.integration_job_status' | 'sso.saml.login')[]
    readonly allowed_ips?: readonly string[]
    readonly strict?: boolean
  })[]
  readonly subscription_groups?: readonly ({
    readonly id?: string
    readonly name: string
    readonly channel: 'email' | 'sms'
    readonly archived?: boolean
    readonly double_opt_in?: {
      readonly enabled: boolean
      readonly from?: string
      readonly reply_to?: string
      readonly subject?: string
      readonly body?: string
      readonly plaintext_body?: string
      readonly keyword?: string
      readonly confirmed_reply?: string
      readonly valid_hours?: number
      readonly sends_max?: number
      readonly through_api?: boolean
      readonly language?: string
      readonly texts?: {
        readonly title?: string
        readonly text?: string
        readonly button?: string
        readonly done_title?: string
        readonly done_text?: string
      }
    }
  })[]
  readonly sign_up_forms?: readonly ({
    readonly id?: string
    readonly name: string
    readonly subscription_group_id: string
    readonly state?: 'active' | 'paused'
    readonly language?: string
    readonly texts?: {
      readonly title?: string
      readonly intro?: string
      readonly label?: string
      readonly button?: string
      readonly consent?: string
      readonly done_title?: string
      readonly done_text?: string
      readonly paused_title?: string
      readonly paused_text?: string
    }
    readonly redirect_url?: string
    readonly embed_origins?: readonly string[]
    readonly min_seconds?: number
    readonly hourly_max?: number
    readonly direct_posts?: boolean
  })[]
  readonly catalogs?: readonly ({
    readonly id?: string
    readonly name: string
    readonly description?: string
    readonly fields: readonly ({
      readonly name: string
      readonly type: 'string' | 'number' | 'boolean' | 'time' | 'object' | 'array' | 'geo'
    })[]
  })[]
  readonly segments?: readonly {
    readonly id?: string
    readonly name: string
    readonly description?: string
    readonly audience: Condition
    readonly tags?: readonly string[]
    readonly analytics_tracking_enabled?: boolean
  }[]
  readonly content_blocks?: readonly ({
    readonly id?: string
    readonly name: string
    readonly description?: string
    readonly content: string
    readonly state?: 'active' | 'draft'
    readonly tags?: readonly string[]
  })[]
  readonly email_templates?: readonly {
    readonly id?: string
    readonly name: string
    readonly description?: string
    readonly subject: string
    readonly preheader?: string
    readonly body: string
    readonly plaintext_body?: string
    readonly should_inline_css?: boolean
    readonly tags?: readonly string[]
  }[]
  readonly credentials?: readonly {
    readonly id?: string
    readonly name: string
    readonly user_name: string
    readonly password?: string
    readonly origins?: readonly string[]
  }[]
  readonly dkim_keys?: readonly {
    readonly id?: string
    readonly name: string
    readonly selector: string
    readonly private_key?: string
  }[]
  readonly webhooks?: readonly ({
    readonly id?: string
    readonly name: string
    readonly url: string
    readonly event_types?: readonly ('message.sent' | 'message.suppressed' | 'message.missed' | 'message.cancelled' | 'message.aborted' | 'message.failed' | 'message.uncertain' | 'message.delivered' | 'message.bounced' | 'message.complained' | 'message.opened' | 'message.clicked' | 'message.unsubscribed' | 'subscription.changed' | 'person.created' | 'person.merged' | 'person.deleted')[]
    readonly state?: 'active' | 'paused'
    readonly secret?: string
  })[]
  readonly canvases?: readonly ({
    readonly id?: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly variants?: readonly FlowVariant[]
    readonly first?: string
    readonly steps: readonly FlowStep[]
  })[]
  readonly campaigns?: readonly ({
    readonly id?: string
    readonly name: string
    readonly description?: string
    readonly tags?: readonly string[]
    readonly state?: 'draft' | 'active' | 'paused' | 'archived'
    readonly class?: 'marketing' | 'transactional'
    readonly segment?: Condition | StoredSegment
    readonly audience?: Condition | StoredSegment
    readonly entry?: FlowEntry
    readonly exit?: FlowExit
    readonly conversions?: readonly FlowConversion[]
    readonly control_percent?: number
    readonly recipient_subscription_state?: 'opted_in' | 'subscribed' | 'all'
    readonly quiet_hours?: 'hold' | 'skip' | 'ignore'
    readonly rate?: string
    readonly messages: readonly CampaignMessage[]
  })[]
  readonly teams?: readonly { readonly id?: string; readonly name: string }[]
  readonly roles?: readonly {
    readonly id?: string
    readonly name: string
    readonly permissions: readonly string[]
  }[]
  readonly permission_sets?: readonly {
    readonly id?: string
    readonly name: string
    readonly permissions: readonly string[]
  }[]
}

export type PostAdminApplyQuery = {
  readonly workspace?: string | undefined
  readonly plan?: 'true' | 'false' | undefined
}

/** Apply a workspace file. */
export function postAdminApply(body: PostAdminApplyBody, query: PostAdminApplyQuery = {}): Operation<PostAdminApplyReply> {
  return { method: 'POST', path: withQuery('/admin/apply', query), body }
}

export type GetAdminInboxReply = {
  readonly messages: readonly ({
    readonly id: string
    readonly channel: string
    readonly to: string
    readonly subject: string
    readonly at: string
    readonly external_id: string | null
    readonly dispatch_id: string | null
    readonly message_id: string | null
    readonly bytes: number
  })[]
  readonly cursor?: string
  readonly delivery: string
  readonly message: 'success'
}

export type GetAdminInboxQuery = {
  readonly workspace?: string | undefined
  readonly to?: string | undefined
  readonly external_id?: string | undefined
  readonly dispatch_id?: string | undefined
  readonly since?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List the messages in the inbox, newest first. The inbox keeps the messages of channels for which no server is configured. */
export function getAdminInbox(query: GetAdminInboxQuery = {}): Operation<GetAdminInboxReply> {
  return { method: 'GET', path: withQuery('/admin/inbox', query) }
}

export const getAdminInboxLimits = { limit: { minimum: 1, maximum: 200 } } as const

export type DeleteAdminInboxReply = { readonly deleted: number; readonly message: 'success' }

export type DeleteAdminInboxQuery = {
  readonly workspace?: string | undefined
}

/** Empty the inbox of a workspace. */
export function deleteAdminInbox(query: DeleteAdminInboxQuery = {}): Operation<DeleteAdminInboxReply> {
  return { method: 'DELETE', path: withQuery('/admin/inbox', query) }
}

export type GetAdminInboxIdReply = ({
  readonly id: string
  readonly channel: string
  readonly to: string
  readonly subject: string
  readonly at: string
  readonly external_id: string | null
  readonly dispatch_id: string | null
  readonly message_id: string | null
  readonly bytes: number
}) & ({
  readonly from: string | null
  readonly headers: { readonly [name: string]: unknown }
  readonly html: string | null
  readonly html_url: string | null
  readonly text: string | null
  readonly attachments: readonly ({
    readonly filename: string | null
    readonly content_type: string
    readonly bytes: number
  })[]
  readonly details?: { readonly [name: string]: unknown }
  readonly source?: string
})

export type GetAdminInboxIdQuery = {
  readonly workspace?: string | undefined
  readonly source?: 'true' | 'false' | undefined
}

/** Read one mail with its parts. */
export function getAdminInboxId(id: string, query: GetAdminInboxIdQuery = {}): Operation<GetAdminInboxIdReply> {
  return { method: 'GET', path: withQuery(`/admin/inbox/${encodeURIComponent(id)}`, query) }
}

export type GetAdminSuppressionsReply = {
  readonly suppressions: readonly ({
    readonly address: string | null
    readonly reason: 'hard_bounce' | 'spam' | 'soft_bounces' | 'blocklist'
    readonly told: string | null
    readonly at: string
  })[]
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminSuppressionsQuery = {
  readonly workspace?: string | undefined
  readonly address?: string | undefined
  readonly reason?: 'hard_bounce' | 'spam' | 'soft_bounces' | 'blocklist' | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List suppressed addresses and the reasons. */
export function getAdminSuppressions(query: GetAdminSuppressionsQuery = {}): Operation<GetAdminSuppressionsReply> {
  return { method: 'GET', path: withQuery('/admin/suppressions', query) }
}

export const getAdminSuppressionsLimits = { limit: { minimum: 1, maximum: 500 } } as const

export type GetAdminMessagesReply = {
  readonly messages: readonly ({
    readonly message_id: string
    readonly channel: string
    readonly class: 'transactional' | 'marketing'
    readonly sentence: string
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
    readonly reason: 'sent' | 'no_such_user' | 'no_address' | 'not_in_segment' | 'not_in_audience' | 'unsubscribed' | 'group_unsubscribed' | 'not_confirmed' | 'suppressed' | 'frequency_capped' | 'quiet_hours' | 'control_group' | 'global_control_group' | 'already_entered' | 'local_time_passed' | 'missed' | 'cancelled' | 'canvas_paused' | 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'set_aside' | 'refused_by_server' | 'expired' | 'uncertain' | 'exited' | 'merged' | 'deleted' | null
    readonly state: 'queued' | 'held' | 'leased' | 'handed_over' | 'accepted' | 'suppressed' | 'aborted' | 'cancelled' | 'missed' | 'bounced' | 'failed' | 'uncertain'
    readonly person: {
      readonly id: string
      readonly external_id: string | null
      readonly first_name: string | null
      readonly last_name: string | null
      readonly email: string | null
    } | null
    readonly address: string | null
    readonly subject: string | null
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string
      readonly version: number | null
    } | null
    readonly step: { readonly id: string; readonly name: string | null } | null
    readonly visit: number
    readonly dispatch_id: string | null
    readonly entry_id: string | null
    readonly attempts: number
    readonly response: string | null
    readonly planned_at: string
    readonly due_at: string
    readonly ended_at: string | null
    readonly bounced_at: string | null
    readonly complained_at: string | null
    readonly decided: 'left' | 'resent' | null
    readonly is_undecided: boolean
  })[]
  readonly searched_until: string | null
  readonly cursor?: string
  readonly message: 'success'
}

export type GetAdminMessagesQuery = {
  readonly workspace?: string | undefined
  readonly state?: 'queued' | 'held' | 'leased' | 'handed_over' | 'accepted' | 'suppressed' | 'aborted' | 'cancelled' | 'missed' | 'bounced' | 'failed' | 'uncertain' | 'set_aside' | undefined
  readonly reason?: 'sent' | 'no_such_user' | 'no_address' | 'not_in_segment' | 'not_in_audience' | 'unsubscribed' | 'group_unsubscribed' | 'not_confirmed' | 'suppressed' | 'frequency_capped' | 'quiet_hours' | 'control_group' | 'global_control_group' | 'already_entered' | 'local_time_passed' | 'missed' | 'cancelled' | 'canvas_paused' | 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'set_aside' | 'refused_by_server' | 'expired' | 'uncertain' | 'exited' | 'merged' | 'deleted' | undefined
  readonly family?: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain' | undefined
  readonly dispatch?: string | undefined
  readonly flow?: string | undefined
  readonly step?: string | undefined
  readonly person?: string | undefined
  readonly address?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** List messages, newest first, by what became of them, and by order, flow, person, address or time. */
export function getAdminMessages(query: GetAdminMessagesQuery = {}): Operation<GetAdminMessagesReply> {
  return { method: 'GET', path: withQuery('/admin/messages', query) }
}

export const getAdminMessagesLimits = {
  step: { maxLength: 1000 },
  address: { maxLength: 1000 },
  limit: { minimum: 1, maximum: 200 },
} as const

export type GetAdminMessagesIdReply = {
  readonly message: {
    readonly message_id: string
    readonly channel: string
    readonly class: 'transactional' | 'marketing'
    readonly sentence: string
    readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
    readonly reason: 'sent' | 'no_such_user' | 'no_address' | 'not_in_segment' | 'not_in_audience' | 'unsubscribed' | 'group_unsubscribed' | 'not_confirmed' | 'suppressed' | 'frequency_capped' | 'quiet_hours' | 'control_group' | 'global_control_group' | 'already_entered' | 'local_time_passed' | 'missed' | 'cancelled' | 'canvas_paused' | 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'set_aside' | 'refused_by_server' | 'expired' | 'uncertain' | 'exited' | 'merged' | 'deleted' | null
    readonly state: 'queued' | 'held' | 'leased' | 'handed_over' | 'accepted' | 'suppressed' | 'aborted' | 'cancelled' | 'missed' | 'bounced' | 'failed' | 'uncertain'
    readonly person: {
      readonly id: string
      readonly external_id: string | null
      readonly first_name: string | null
      readonly last_name: string | null
      readonly email: string | null
    } | null
    readonly address: string | null
    readonly subject: string | null
    readonly flow: {
      readonly kind: 'canvas' | 'campaign'
      readonly id: string
      readonly name: string
      readonly version: number | null
    } | null
    readonly step: { readonly id: string; readonly name: string | null } | null
    readonly visit: number
    readonly dispatch_id: string | null
    readonly entry_id: string | null
    readonly attempts: number
    readonly response: string | null
    readonly planned_at: string
    readonly due_at: string
    readonly ended_at: string | null
    readonly bounced_at: string | null
    readonly complained_at: string | null
    readonly decided: 'left' | 'resent' | null
    readonly is_undecided: boolean
    readonly variant: string | null
    readonly warnings: readonly string[]
    readonly decisions: readonly ({
      readonly at: string
      readonly reason: 'sent' | 'no_such_user' | 'no_address' | 'not_in_segment' | 'not_in_audience' | 'unsubscribed' | 'group_unsubscribed' | 'not_confirmed' | 'suppressed' | 'frequency_capped' | 'quiet_hours' | 'control_group' | 'global_control_group' | 'already_entered' | 'local_time_passed' | 'missed' | 'cancelled' | 'canvas_paused' | 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'set_aside' | 'refused_by_server' | 'expired' | 'uncertain' | 'exited' | 'merged' | 'deleted'
      readonly family: 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
      readonly sentence: string
      readonly rule: string | null
      readonly inputs: unknown
    })[]
    readonly engagement: readonly ({
      readonly kind: string
      readonly sentence: string
      readonly url: string | null
      readonly first_at: string
      readonly last_at: string
      readonly count: number
    })[]
    readonly mail: {
      readonly rendered_anew: boolean
      readonly mail_id: string | null
      readonly from: string | null
      readonly to: string
      readonly subject: string
      readonly at: string
      readonly bytes: number
      readonly headers: { readonly [name: string]: string }
      readonly text: string | null
      readonly html_url: string | null
      readonly attachments: readonly ({
        readonly filename: string | null
        readonly content_type: string
        readonly bytes: number
      })[]
      readonly details?: { readonly [name: string]: unknown }
      readonly source?: string
    } | null
    readonly mail_sentence: string
    readonly may_render: boolean
  }
}

export type GetAdminMessagesIdQuery = {
  readonly workspace?: string | undefined
  readonly source?: 'true' | 'false' | undefined
  readonly render?: 'true' | 'false' | undefined
}

/** Read one message with its decision, its opens and clicks, and its mail. */
export function getAdminMessagesId(id: string, query: GetAdminMessagesIdQuery = {}): Operation<GetAdminMessagesIdReply> {
  return { method: 'GET', path: withQuery(`/admin/messages/${encodeURIComponent(id)}`, query) }
}

export type PostAdminMessagesMessageIdResendReply = { readonly message_id: string; readonly message: 'success' }

export type PostAdminMessagesMessageIdResendQuery = {
  readonly workspace?: string | undefined
}

/** Send an uncertain message, or one that was set aside, once more. */
export function postAdminMessagesMessageIdResend(message_id: string, query: PostAdminMessagesMessageIdResendQuery = {}): Operation<PostAdminMessagesMessageIdResendReply> {
  return { method: 'POST', path: withQuery(`/admin/messages/${encodeURIComponent(message_id)}/resend`, query) }
}

export type PostAdminMessagesMessageIdLeaveReply = {
  readonly message_id: string
  readonly left_at: string
  readonly message: 'success'
}

export type PostAdminMessagesMessageIdLeaveQuery = {
  readonly workspace?: string | undefined
}

/** Leave an uncertain message, or one that was set aside, as it is: it is not sent again. */
export function postAdminMessagesMessageIdLeave(message_id: string, query: PostAdminMessagesMessageIdLeaveQuery = {}): Operation<PostAdminMessagesMessageIdLeaveReply> {
  return { method: 'POST', path: withQuery(`/admin/messages/${encodeURIComponent(message_id)}/leave`, query) }
}
