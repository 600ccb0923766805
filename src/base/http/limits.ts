/** The windows of machine time for limits, in milliseconds. Each begins at a full second, minute, hour or day, UTC. */
export const rateWindows = {
  burst_per_second: 1000,
  per_minute: 60_000,
  per_hour: 3_600_000,
  per_day: 86_400_000,
} as const

export type RateWindow = keyof typeof rateWindows

/** Requests per window, whole numbers from 1. Every given window is enforced. */
export type RateLimit = 'unlimited' | { readonly [window in RateWindow]?: number | undefined }

/**
 * Groups of endpoints that share a limit, with the limits of the specification (section 8). Others are unlimited unless
 * `settings.rate_limits` names them.
 */
export const defaultLimits = {
  track: 'unlimited',
  /** The hosted service allows 500 a minute. */
  track_sync: 'unlimited',
  export_ids: { per_minute: 250 },
  subscription_user_status: { per_hour: 250_000 },
  canvas_schedule: { per_hour: 250_000 },
  catalogs: 'unlimited',
  catalog_fields: 'unlimited',
  catalog_items: 'unlimited',
  catalog_items_bulk: 'unlimited',
  sending: 'unlimited',
  transactional: 'unlimited',
  /** The hosted service allows 1,000 a minute, and 10 that write. */
  preference_centers: 'unlimited',
  /** What partners send of cohorts. */
  cohorts: 'unlimited',
  /** Copies of canvases and campaigns. The hosted service allows 100 a minute. */
  duplicates: 'unlimited',
  /** Counted for each API key. */
  sdk_data: { per_minute: 60_000 },
  /** Counted for each address among the callers with one API key. */
  sdk_data_address: { per_minute: 6_000 },
  /** Counted in the default workspace. The hosted service allows 5,000 a day. */
  scim: 'unlimited',
  /** Counted in the default workspace for all workspaces, because the sender is not known yet. */
  webhooks: 'unlimited',
} as const satisfies { readonly [name: string]: RateLimit }

export type LimitName = keyof typeof defaultLimits

/** Groups of endpoints whose API key is in every copy of an app. Each key is counted; `address` is the group that limits each caller. */
export const sharedKeyLimits: { readonly [name in LimitName]?: { readonly address: LimitName } } = {
  sdk_data: { address: 'sdk_data_address' },
}

/** `settings.rate_limits` of a workspace. A group that it names replaces the default of that group. */
export type RateLimits = { readonly [name in LimitName]?: RateLimit | undefined }
