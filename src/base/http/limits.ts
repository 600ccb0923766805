/** Windows of machine time that a limit can count in, in milliseconds; each begins on the clock's second, minute, hour or day, UTC. */
export const rateWindows = {
  burst_per_second: 1000,
  per_minute: 60_000,
  per_hour: 3_600_000,
  per_day: 86_400_000,
} as const

export type RateWindow = keyof typeof rateWindows

/** Requests allowed per window, whole numbers from 1; every window that is named is enforced. */
export type RateLimit = 'unlimited' | { readonly [window in RateWindow]?: number | undefined }

/**
 * Endpoint groups that count together, with the specification's limits (section 8). Where there is none, the group is
 * unlimited until `settings.rate_limits` names it.
 */
export const defaultLimits = {
  track: 'unlimited',
  export_ids: { per_minute: 250 },
  subscription_user_status: { per_hour: 250_000 },
  canvas_schedule: { per_hour: 250_000 },
  catalogs: 'unlimited',
  catalog_fields: 'unlimited',
  catalog_items: 'unlimited',
  catalog_items_bulk: 'unlimited',
  sending: 'unlimited',
  /** Counts in the default workspace. The hosted service has 5,000 a day. */
  scim: 'unlimited',
  /** Counts in the default workspace, for all of them: who sends is known only later. */
  webhooks: 'unlimited',
} as const satisfies { readonly [name: string]: RateLimit }

export type LimitName = keyof typeof defaultLimits

/** `settings.rate_limits` of a workspace: a group named here replaces its default. */
export type RateLimits = { readonly [name in LimitName]?: RateLimit | undefined }
