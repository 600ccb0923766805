/** A person's use of an app. Times are as in the request. */
export type AppUse = {
  version: string | null
  sessions: number
  first: string | null
  last: string | null
  uninstalled: string | null
}

type AppCall = {
  readonly app_id: string
  readonly app_version?: string
  readonly sessions?: readonly { readonly started_at: string; readonly ended_at: string }[]
  readonly uninstalled_at?: string
}

/** Adds the use of an app in a call; `count` of its sessions are new. */
export function useApp(apps: Record<string, AppUse>, call: AppCall, count: number): void {
  const { app_id, app_version, sessions = [], uninstalled_at } = call
  const before = apps[app_id] ?? { version: null, sessions: 0, first: null, last: null, uninstalled: null }
  const ended = latest(sessions.map((one) => one.ended_at))
  const last = latest([before.last, ended])
  const uninstalled = latest([before.uninstalled, uninstalled_at ?? null])
  const isOld = ended !== null && before.last !== null && ended < before.last
  apps[app_id] = {
    version: isOld ? before.version : (app_version ?? before.version),
    sessions: before.sessions + count,
    first: earliest([before.first, ...sessions.map((one) => one.started_at)]),
    last,
    uninstalled: last && uninstalled && last > uninstalled ? null : uninstalled,
  }
}

/** Sessions are added where both have used the app. */
export function mergeApps(from: Readonly<Record<string, AppUse>>, into: Record<string, AppUse>): void {
  for (const [app_id, other] of Object.entries(from)) {
    const own = into[app_id]
    const [last, first] = (other.last ?? '') > (own?.last ?? '') ? [other, own] : [own, other]
    into[app_id] = own
      ? {
          version: last?.version ?? first?.version ?? null,
          sessions: own.sessions + other.sessions,
          first: earliest([own.first, other.first]),
          last: latest([own.last, other.last]),
          uninstalled: last?.uninstalled ?? null,
        }
      : { ...other, sessions: 0 }
  }
}

/** Returns the latest time. Times with the same format sort as texts. */
function latest(times: readonly (string | null)[]): string | null {
  return (
    times
      .filter((time) => time !== null)
      .toSorted()
      .at(-1) ?? null
  )
}

function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((time) => time !== null).toSorted()[0] ?? null
}
