import assert from 'node:assert/strict'
import { apps, type Exported, type Item, newId, only, type People } from './people.ts'

/** Fields of an export that come from SDK data. */
export const sdkFields = [
  'apps',
  'devices',
  'push_tokens',
  'cards_clicked',
  'attributed_campaign',
  'attributed_source',
  'attributed_adgroup',
  'attributed_ad',
  'uninstalled_at',
] as const

export function newDevice(): string {
  return newId('device')
}

/** Sends SDK data that must be accepted. Returns the id of its person. */
export async function tell(people: People, device_id: string, more: Item = {}): Promise<string> {
  const answer = await people.send('/sdk/data', reportOf(device_id, more))
  assert.equal(answer.status, 201, answer.text)
  const { service_id, message } = answer.body as unknown as { service_id: string; message: string }
  assert.equal(message, 'success')
  assert.match(service_id, /^[0-9a-f]{24}$/)
  return service_id
}

/** Returns a call of the phone app on that device. `more` overrides fields. */
export function reportOf(device_id: string, more: Item = {}): Item {
  return { device: { device_id }, app_id: apps.phone.id, ...more }
}

/** Returns a session of this many seconds that began at this hour of a day in the past. */
export function session(hour: number, seconds = 60): { started_at: string; ended_at: string } {
  const started = Date.UTC(2026, 0, 15, hour)
  return {
    started_at: new Date(started).toISOString(),
    ended_at: new Date(started + seconds * 1000).toISOString(),
  }
}

/** Exports the person of a device; there must be exactly one. */
export async function ownerOf(people: People, device_id: string, fields?: readonly string[]): Promise<Exported> {
  return only(await people.find({ device_id }, fields))
}

export async function byServiceId(people: People, service_id: string, fields?: readonly string[]): Promise<Exported> {
  return only(await people.find({ service_id }, fields))
}

/** Returns the number of sessions of a person and the start of the first and last one. No export by identifier has them. */
export async function sessionsOf(people: People, external_id: string): Promise<Item> {
  for (let after = ''; ; ) {
    const { body } = await people.service.admin('GET', `/admin/people${after}`)
    for (const { profile = {} } of body.lines) {
      const { session_count = 0, date_of_first_session, date_of_last_session } = profile
      if (profile.external_id === external_id) return { session_count, date_of_first_session, date_of_last_session }
    }
    assert.ok(body.next, `${external_id} is among the people`)
    after = `?after=${body.next}`
  }
}
