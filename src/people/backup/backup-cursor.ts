import { invalid } from '../../base/errors.ts'
import { isCleanText } from '../values/values.ts'
import type { HistoryKind, HistoryOffset } from './history-page-store.ts'

export type HistoryPosition = HistoryOffset & { kind: HistoryKind }
export type StatePosition = { bucket: number; kind: string; value: string; group_id: number }

/** Where the next page of a backup begins. */
export type BackupCursor =
  | { stage: 'people'; after: string; limit: number }
  | { stage: 'history'; profile_id: string; part: number; at: HistoryPosition }
  | { stage: 'states'; after: StatePosition }

/** A time before every stored time, which a number represents exactly. */
const earliestUs = -(2 ** 56)
const profileIdMax = 2n ** 63n - 1n

/** The largest number of people that are read for one page. */
export const profilesMax = 200

export const firstCursor: BackupCursor = peopleAfter('0')
export const firstState: StatePosition = { bucket: 0, kind: '', value: '', group_id: 0 }

/** `limit`: how many people are read. When fewer fit into the page, the next page reads fewer too. */
export function peopleAfter(after: string, limit = profilesMax): BackupCursor {
  return { stage: 'people', after, limit: Math.min(Math.max(limit, 1), profilesMax) }
}

/** Returns the position before all rows of a name, or before all names when `name` is empty. */
export function startOfName(kind: HistoryKind, name = ''): HistoryPosition {
  return { kind, name, timeUs: earliestUs, skip: 0 }
}

/** Returns the cursor as text for `readCursor`. */
export function formatCursor(cursor: BackupCursor): string {
  switch (cursor.stage) {
    case 'people':
      return ['people', cursor.after, cursor.limit].join('.')
    case 'history': {
      const { kind, timeUs, skip, name } = cursor.at
      const text = Buffer.from(name).toString('base64url')
      return ['history', cursor.profile_id, cursor.part, kind, timeUs, skip, text].join('.')
    }
    case 'states': {
      const { bucket, kind, value, group_id } = cursor.after
      return ['states', bucket, kind, value, group_id].join('.')
    }
  }
}

const forms = {
  people: /^people\.(\d{1,19})\.(\d{1,3})$/,
  history: /^history\.(\d{1,19})\.(\d{1,9})\.(event|purchase)\.(-?\d{1,17})\.(\d{1,9})\.([\w-]{0,1400})$/,
  states: /^states\.(\d{1,4})\.(\w{0,5})\.([0-9a-f]{0,64})\.(\d{1,9})$/,
}

/** Parses a cursor. Throws 400 for a text that `formatCursor` has not made. */
export function readCursor(text: string): BackupCursor {
  const [, last, limit] = forms.people.exec(text) ?? []
  if (last !== undefined && isProfileId(last)) return peopleAfter(last, Number(limit))
  const [, bucket, channel, value, group_id] = forms.states.exec(text) ?? []
  if (bucket !== undefined) {
    return {
      stage: 'states',
      after: { bucket: Number(bucket), kind: channel!, value: value!, group_id: Number(group_id) },
    }
  }
  const [, profile_id = '', part, kind, timeUs, skip, encoded = ''] = forms.history.exec(text) ?? []
  const name = Buffer.from(encoded, 'base64url').toString('utf8')
  if (profile_id === '' || !isProfileId(profile_id) || !isCleanText(name)) {
    throw invalid("'after' must be the 'next' of an earlier response")
  }
  const at = { kind: kind as HistoryKind, name, timeUs: Number(timeUs), skip: Number(skip) }
  return { stage: 'history', profile_id, part: Number(part), at }
}

function isProfileId(text: string): boolean {
  return BigInt(text) <= profileIdMax
}
