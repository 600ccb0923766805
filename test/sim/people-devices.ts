import { useApp } from './people-apps.ts'
import type { Body, Model, Person } from './people-model.ts'

/** Applies a call of an SDK. Returns the person that it is about. */
export function recordDevice(model: Model, body: Body): Person {
  const { device, app_id, app_version, sessions = [], uninstalled_at, push_token, attribution, card_clicks = [] } = body
  const { device_id, ...members } = device
  const person = personOf(model, device_id, body.identifier)
  person.devices[device_id] = { ...person.devices[device_id], ...members }
  if (attribution) setAttribution(person, attribution)
  if (push_token) model.giveToken(person, { app_id, token: push_token, device_id })
  for (const { name } of card_clicks) person.cards.add(name)
  const before = person.sessions.size
  for (const { started_at } of sessions) person.sessions.add([device_id, app_id, started_at].join())
  const counted = person.sessions.size - before
  if (sessions.length > 0 || app_version || uninstalled_at) {
    useApp(person.apps, { app_id, app_version, sessions, uninstalled_at }, counted)
  }
  return person
}

/** Returns the person of the call. An anonymous owner of the device is merged into the named person; another owner loses the device. */
function personOf(model: Model, device_id: string, who: Body | undefined): Person {
  const [owner] = model.named({ device_id })
  const named = who && model.findOrMake({ ...who, _update_existing_only: true })
  if (named && owner && named !== owner && owner.external_id === null) model.merge(owner, named, 'lost')
  else if (named && owner) take(owner, named, device_id)
  if (named) return named
  const name = who && !('service_id' in who) ? who : undefined
  if (owner && !name) return owner
  const labelled = owner && name?.user_alias && name.user_alias.alias_label in owner.aliases
  if (owner && name && owner.external_id === null && !labelled) {
    model.name(owner, name)
    if (name.email) model.takeAddressState(owner)
    return owner
  }
  const made = model.make(name ?? {})
  model.takeAddressState(made)
  if (owner) take(owner, made, device_id)
  return made
}

function take(from: Person, into: Person, device_id: string): void {
  if (from === into) return
  const isOfDevice = (session: string) => session.startsWith(`${device_id},`)
  into.devices[device_id] = from.devices[device_id]!
  delete from.devices[device_id]
  into.tokens.push(...from.tokens.filter((one) => one.device_id === device_id))
  from.tokens = from.tokens.filter((one) => one.device_id !== device_id)
  into.sessions = new Set([...into.sessions, ...[...from.sessions].filter(isOfDevice)])
  from.sessions = new Set([...from.sessions].filter((session) => !isOfDevice(session)))
}

function setAttribution(person: Person, attribution: Body): void {
  for (const field of ['campaign', 'source', 'adgroup', 'ad']) {
    if (attribution[field]) person.plain[`attributed_${field}`] = attribution[field]
    else delete person.plain[`attributed_${field}`]
  }
}
