import { isGiven } from '../identity/identifier.ts'
import { notAFlag, unknownMembers } from '../values/drops.ts'
import { badDeviceId, badTokenApp, badTokenList, badTokenText } from '../values/refusals.ts'
import { broken, inspect, isObject } from '../values/values.ts'

/** A token as a request gives it. `device_id` null: none was given, so one is generated unless one is stored. */
export type PushToken = {
  readonly app_id: string
  readonly token: string
  readonly device_id: string | null
  readonly notifications_enabled: boolean
}

/** Bytes (UTF-8). A token is part of a key, and a key has at most about 2,000 bytes. */
export const tokenBytesMax = 1024
/** Tokens in one object. An import creates a profile for each. */
export const tokensMax = 100
export const deviceIdBytesMin = 8
export const deviceIdBytesMax = 255

/** Reads `push_tokens`. Returns a text, the code of the error, if it refuses the object. `apps` are the apps of the workspace. */
export function readPushTokens(value: unknown, apps: ReadonlySet<string>, suspicious: boolean): PushToken[] | string {
  if (!Array.isArray(value) || value.length > tokensMax) return badTokenList
  const tokens: PushToken[] = []
  for (const item of value) {
    if (!isObject(item) || inspect(item, suspicious) & broken) return badTokenList
    const { app_id, token, device_id, notifications_enabled } = item
    if (typeof app_id !== 'string' || !apps.has(app_id)) return badTokenApp
    if (typeof token !== 'string' || token === '' || Buffer.byteLength(token) > tokenBytesMax) return badTokenText
    const named = device_id !== undefined && device_id !== null
    if (named && !isDeviceId(device_id)) return badDeviceId
    tokens.push({
      app_id,
      token,
      device_id: named ? device_id : null,
      notifications_enabled: notifications_enabled !== false,
    })
  }
  return tokens
}

const tokenMembers = new Set(['app_id', 'token', 'device_id', 'notifications_enabled'])

/** Returns why members of valid tokens are not stored as they were sent. */
export function lostOfTokens(tokens: readonly unknown[]): string | undefined {
  const items = tokens as readonly { readonly notifications_enabled?: unknown }[]
  if (items.some(({ notifications_enabled: flag }) => isGiven(flag) && typeof flag !== 'boolean')) return notAFlag
  return unknownMembers(items, tokenMembers)
}

export function isDeviceId(value: unknown): value is string {
  if (typeof value !== 'string') return false
  const bytes = Buffer.byteLength(value)
  return bytes >= deviceIdBytesMin && bytes <= deviceIdBytesMax
}
