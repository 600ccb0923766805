// Written by npm run generate from /openapi.json. The list of operations is in scripts/client.ts.
import { type Operation, withQuery } from './operation.ts'

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
  readonly moving_to?: string
  readonly message: 'success'
}

/** Read the business time of the service. */
export function getAdminClock(): Operation<GetAdminClockReply> {
  return { method: 'GET', path: '/admin/clock' }
}

export type PostAdminClockReply = {
  readonly now: string
  readonly clock: 'system' | 'virtual'
  readonly moving_to?: string
  readonly message: 'success'
}

/** Move the virtual clock and do the work that becomes due. */
export function postAdminClock(body: { readonly now?: string; readonly advance?: string }): Operation<PostAdminClockReply> {
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
