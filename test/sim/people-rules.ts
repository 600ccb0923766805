import { recordDevice } from './people-devices.ts'
import type { Body, Model, Outcome, Person, Who } from './people-model.ts'

/** The expected answer: its status, some of its members, and the outcomes of items that are done later. */
export type Expected = { readonly status: number; readonly answer: Body; readonly outcomes?: readonly Outcome[] }

/** The effect of each endpoint on the model, by its path. */
export const rules: Readonly<Record<string, (model: Model, body: Body) => Expected>> = {
  '/users/track': track,
  '/users/alias/new': newAliases,
  '/users/alias/update': updateAliases,
  '/users/external_ids/rename': rename,
  '/users/external_ids/remove': removeFormers,
  '/users/identify': identify,
  '/users/merge': merge,
  '/users/delete': deletePeople,
  '/v2/subscription/status/set': (model, body) => setGroups(model, body.subscription_groups),
  '/subscription/status/set': (model, body) => setGroups(model, [body]),
  '/email/status': setEmailStatus,
  '/sdk/data': (model, body) => {
    model.tick()
    model.touch(recordDevice(model, body))
    return { status: 201, answer: { message: 'success' } }
  },
}

const plainFields = ['first_name', 'last_name', 'gender', 'dob', 'country', 'home_city', 'language', 'time_zone']
const customFields = ['a', 'b', 'c']

function track(model: Model, body: Body): Expected {
  const answer: Record<string, unknown> = { message: 'success' }
  const before = new Map(model.people.map((one) => [one, { email: one.email, said: one.email_subscribe?.at }]))
  for (const array of ['attributes', 'events', 'purchases'] as const) {
    for (const item of body[array] ?? []) {
      model.tick()
      const person = model.findOrMake(item)
      if (!person) continue
      if (array === 'attributes') setAttributes(model, person, item)
      else if (array === 'events') person.events.push({ name: item.name, time: item.time, count: 1 })
      else person.purchases.push({ name: item.product_id, time: item.time, count: item.quantity })
    }
    if (body[array]) answer[`${array}_processed`] = body[array].length
  }
  // A person who gets an address and a state in the same request has that state, not the state of the address.
  for (const person of model.people) {
    const { email = null, said } = before.get(person) ?? {}
    if (person.email !== email && person.email_subscribe?.at === said) model.takeAddressState(person)
  }
  return { status: 201, answer }
}

/** Applies an attributes object. An address is an attribute when another identifier names the person. */
function setAttributes(model: Model, person: Person, item: Body): void {
  const hard = item.external_id ?? item.user_alias ?? item.service_id
  if (hard && item.email !== undefined) person.email = item.email
  if ((hard || item.email) && item.phone !== undefined) person.phone = item.phone
  for (const field of plainFields) if (field in item) put(person.plain, field, item[field])
  const { longitude, latitude } = item.current_location ?? {}
  if (longitude) person.plain.last_coordinates = [longitude, latitude]
  for (const key of customFields) if (key in item) put(person.custom, key, operated(person.custom[key], item[key]))
  for (const kind of ['email_subscribe', 'push_subscribe'] as const) {
    if (item[kind]) model.setState(person, kind, model.stateNow(item[kind]))
  }
  for (const { subscription_group_id, subscription_state } of item.subscription_groups ?? []) {
    model.setGroup(person, subscription_group_id, subscription_state)
  }
  for (const token of item.push_tokens ?? []) model.giveToken(person, token)
  model.touch(person)
}

function put(fields: Record<string, unknown>, field: string, value: unknown): void {
  if (value === null || value === undefined) delete fields[field]
  else fields[field] = value
}

/** Returns a custom attribute after an operation, or the new value. */
function operated(current: unknown, value: unknown): unknown {
  const { inc, add, remove } = Object(value)
  const list = Array.isArray(current) ? current : undefined
  if (inc !== undefined) return current === undefined || typeof current === 'number' ? (current ?? 0) + inc : current
  if (add && (list || current === undefined)) return [...(list ?? []).filter((one) => !add.includes(one)), ...add]
  if (remove && list) return list.filter((one) => !remove.includes(one))
  return add || remove ? current : value
}

function newAliases(model: Model, { user_aliases }: Body): Expected {
  for (const { external_id, ...user_alias } of user_aliases) {
    model.tick()
    if (model.named({ user_alias }).length > 0) continue
    const person = external_id ? model.named({ external_id })[0] : model.make({ user_alias })
    if (!person || (external_id && user_alias.alias_label in person.aliases)) continue
    model.name(person, { user_alias })
    model.touch(person)
  }
  return { status: 201, answer: { aliases_processed: user_aliases.length, message: 'success' } }
}

function updateAliases(model: Model, { alias_updates }: Body): Expected {
  for (const { alias_label, old_alias_name, new_alias_name } of alias_updates) {
    model.tick()
    const user_alias = { alias_label, alias_name: new_alias_name }
    const [person] = model.named({ user_alias: { alias_label, alias_name: old_alias_name } })
    if (!person || model.named({ user_alias }).length > 0) continue
    model.name(person, { user_alias })
    model.touch(person)
  }
  return { status: 201, answer: { message: 'success' } }
}

/** Renames external ids. The new id must be unused, and the old one stays until it is removed. */
function rename(model: Model, { external_id_renames }: Body): Expected {
  const external_ids: Body[] = []
  for (const { current_external_id, new_external_id } of external_id_renames) {
    model.tick()
    const person = model.people.find((one) => one.external_id === current_external_id)
    if (!person || model.named({ external_id: new_external_id }).length > 0) continue
    person.formers.push(current_external_id)
    person.external_id = new_external_id
    model.touch(person)
    external_ids.push({ current_external_id, new_external_id })
  }
  return { status: 201, answer: { external_ids, message: 'success' } }
}

function removeFormers(model: Model, { external_ids }: Body): Expected {
  const removed_ids: string[] = []
  for (const external_id of external_ids) {
    model.tick()
    const person = model.people.find((one) => one.formers.includes(external_id))
    if (!person) continue
    person.formers = person.formers.filter((one) => one !== external_id)
    model.touch(person)
    removed_ids.push(external_id)
  }
  return { status: 201, answer: { removed_ids, message: 'success' } }
}

function identify(model: Model, body: Body): Expected {
  const items = [
    ...(body.aliases_to_identify ?? []),
    ...(body.emails_to_identify ?? []),
    ...(body.phone_numbers_to_identify ?? []),
  ]
  const outcomes = items.map((item) => identifyOne(model, item, body.merge_behavior))
  const counted = body.aliases_to_identify && { aliases_processed: body.aliases_to_identify.length }
  return { status: 201, answer: { ...counted, message: 'success' }, outcomes }
}

/** Gives an unidentified person an external_id, or merges them into its owner; without merging only the alias moves to the owner. */
function identifyOne(model: Model, { external_id, ...who }: Body, behaviour: string | undefined): Outcome {
  model.tick()
  const from = model.chosen(who)
  const [into] = model.named({ external_id })
  if (typeof from === 'string') return from
  if (from === into) return 'same_person'
  if (from.external_id !== null) return 'already_identified'
  const label: string | undefined = who.user_alias?.alias_label
  if (into && label && label in into.aliases) return 'label_taken'
  if (into && behaviour !== 'none') return model.merge(from, into)
  if (into && !label) return 'already_identified'
  if (into) {
    delete from.aliases[label!]
    model.name(into, who)
    model.touch(into)
  } else model.name(from, { external_id })
  model.touch(from)
  return 'done'
}

function merge(model: Model, { merge_updates }: Body): Expected {
  const outcomes = merge_updates.map(({ identifier_to_merge, identifier_to_keep }: Body): Outcome => {
    model.tick()
    const from = model.chosen(identifier_to_merge)
    const into = model.chosen(identifier_to_keep)
    if (typeof from === 'string') return from
    return typeof into === 'string' ? into : model.merge(from, into)
  })
  return { status: 202, answer: { message: 'success' }, outcomes }
}

function deletePeople(model: Model, body: Body): Expected {
  const items: Who[] = [
    ...(body.external_ids ?? []).map((external_id: string) => ({ external_id })),
    ...(body.user_aliases ?? []).map((user_alias: Body) => ({ user_alias })),
    ...(body.service_ids ?? []).map((service_id: string) => ({ service_id })),
    ...(body.email_addresses ?? []),
    ...(body.phone_numbers ?? []),
  ]
  const outcomes = items.map((who): Outcome => {
    const person = model.chosen(who)
    if (typeof person === 'string') return person
    model.delete(person)
    return 'done'
  })
  return { status: 201, answer: { deleted: items.length, message: 'success' }, outcomes }
}

function setGroups(model: Model, items: readonly Body[]): Expected {
  for (const { subscription_group_id: group, subscription_state: state, ...lists } of items) {
    for (const external_id of [lists.external_ids ?? lists.external_id ?? []].flat()) {
      model.tick()
      const [person] = model.named({ external_id })
      if (person) model.setGroup(person, group, state)
    }
    const addresses = [lists.emails ?? lists.email ?? [], lists.phones ?? lists.phone ?? []].flat()
    for (const address of addresses) {
      model.tick()
      model.setGroupOf(address, group, state)
    }
  }
  return { status: 201, answer: { message: 'success' } }
}

function setEmailStatus(model: Model, { email, subscription_state }: Body): Expected {
  model.tick()
  const said = model.stateNow(subscription_state)
  for (const address of [email].flat()) {
    model.setAddressState(address, said)
    for (const person of model.named({ email: address })) model.setState(person, 'email_subscribe', said)
  }
  return { status: 201, answer: { message: 'success' } }
}
