import { measureSubject, type Tally } from '../../workspace/tallies/tally.ts'
import { type EventColumns, emptyEvents, emptyPurchases, type PurchaseColumns } from '../history/history-store.ts'
import type { Directory, Lookup } from '../identity/directory.ts'
import { toE164 } from '../identity/identifier.ts'
import { isPerson, type Person } from '../identity/person.ts'
import type { AttributeChange } from '../profile/attributes.ts'
import type { SignalRecorder } from '../signals/record-signals.ts'
import type { AddressGroupState } from '../subscription/address-state-store.ts'
import type { FlushOutcome } from './flush-outcome.ts'
import type { AppIds, PreparedRequest } from './prepare-request.ts'
import type { EventItem } from './split-track.ts'

/** One applied attributes object and its stamp (epoch microseconds). */
export type AttributeStep = { change: AttributeChange; stampUs: number }

/** The changes that a flush makes to one profile, in order. */
export type ProfileSteps = { person: Person; workspace_id: number; steps: AttributeStep[] }

export type AppliedItems = {
  written: Map<string, ProfileSteps>
  addressed: AddressGroupState[]
  events: EventColumns
  purchases: PurchaseColumns
}

/** The person that each item of a flush names, or the look-up of the person, in the order in which items take effect. */
export type ItemPeople = readonly (Person | Lookup)[]

/**
 * Looks up the people of all items of a flush. Uses people that were in the cache at the time of the request, and looks up the others in
 * the directory. Attributes that are `refused` create nobody.
 */
export function lookUpItems(
  requests: readonly PreparedRequest[],
  directory: Directory,
  refused: ReadonlyMap<AttributeChange, string>,
): ItemPeople {
  const itemPeople: (Person | Lookup)[] = []
  for (const { workspace_id, attributes, events, purchases, found, epoch } of requests) {
    const fresh = directory.isCurrent(epoch)
    let index = 0
    for (const items of [attributes, events, purchases]) {
      for (const item of items) {
        const { identifier } = item
        const create = item.create && !(refused.size > 0 && 'change' in item && refused.has(item.change))
        const { [index]: cached } = found
        const known = cached && isPerson(cached)
        if (known && fresh) itemPeople.push(directory.addFound(cached))
        else itemPeople.push(directory.lookUp(workspace_id, identifier, create, known ? undefined : cached))
        index++
      }
    }
  }
  return itemPeople
}

/**
 * Returns the events of people that are in the cache. No other item of the flush can change their owner, so the database can write them
 * while the other people are looked up. Adds them to `tally`.
 */
export function eventsOfKnown(
  requests: readonly PreparedRequest[],
  itemPeople: ItemPeople,
  appId: AppIds,
  tally: Tally,
): EventColumns {
  const rows = emptyEvents()
  let index = 0
  for (const { workspace_id, attributes, events, purchases, eventIds } of requests) {
    index += attributes.length
    for (const [i, item] of events.entries()) {
      const target = itemPeople[index++]!
      if (!isPerson(target)) continue
      const [name_id, app_id] = [eventIds[i]!, appId(workspace_id, item.app_id)]
      appendOccurrence(rows, target, item, name_id, app_id)
      tally.add(name_id, app_id, item.timeMs * 1000)
    }
    index += purchases.length
  }
  return rows
}

/**
 * Assigns each item to a person, in the order in which items take effect, and records signals. Events of known people (`eventsOfKnown`) are
 * already written, so only their signals are recorded. Adds the other events and the purchases to `tally`. Leaves out the attributes that
 * `outcome` has refused, and adds to it the items about people who do not exist. No I/O.
 */
export function applyItems(
  requests: readonly PreparedRequest[],
  itemPeople: ItemPeople,
  directory: Directory,
  appId: AppIds,
  stamp: () => number,
  recorder: SignalRecorder,
  outcome: FlushOutcome,
  tally: Tally,
): AppliedItems {
  const applied: AppliedItems = {
    written: new Map(),
    addressed: [],
    events: emptyEvents(),
    purchases: emptyPurchases(),
  }
  let index = 0
  for (const request of requests) {
    const { workspace_id, attributes, events, purchases, eventIds, productIds } = request
    applyAttributes(request, itemPeople, index, directory, stamp, applied, outcome)
    index += attributes.length
    const watched = recorder.watchedIn(workspace_id)
    for (const [i, item] of events.entries()) {
      const target = itemPeople[index++]!
      const person = directory.assign(target, item.create)
      if (!person) {
        outcome.unmatched.add(item)
        continue
      }
      if (!isPerson(target)) {
        const [name_id, app_id] = [eventIds[i]!, appId(workspace_id, item.app_id)]
        appendOccurrence(applied.events, person, item, name_id, app_id)
        tally.add(name_id, app_id, item.timeMs * 1000)
      }
      if (watched?.isSignalled('event', item.name)) {
        const { name, properties } = item
        const moments = { timeUs: item.timeMs * 1000, atUs: stamp() }
        recorder.addOccurrence(person, workspace_id, { kind: 'event', name, ...moments, properties })
      }
    }
    for (const [i, item] of purchases.entries()) {
      const person = directory.assign(itemPeople[index++]!, item.create)
      if (!person) {
        outcome.unmatched.add(item)
        continue
      }
      const [name_id, app_id] = [productIds[i]!, appId(workspace_id, item.app_id)]
      appendOccurrence(applied.purchases, person, item, name_id, app_id)
      applied.purchases.price.push(item.price)
      applied.purchases.currency.push(item.currency)
      applied.purchases.quantity.push(item.quantity)
      for (const counted of [name_id, measureSubject(workspace_id, 'purchases')])
        tally.add(counted, app_id, item.timeMs * 1000, item.quantity, item.price * item.quantity)
      if (watched?.isSignalled('purchase', item.product_id)) {
        const { product_id: name, properties, price, quantity } = item
        const moments = { timeUs: item.timeMs * 1000, atUs: stamp() }
        recorder.addOccurrence(person, workspace_id, {
          kind: 'purchase',
          name,
          ...moments,
          properties,
          amount: price * quantity,
        })
      }
    }
  }
  return applied
}

function applyAttributes(
  { workspace_id, attributes, addresses, allOrNothing }: PreparedRequest,
  itemPeople: ItemPeople,
  from: number,
  directory: Directory,
  stamp: () => number,
  { written, addressed }: AppliedItems,
  outcome: FlushOutcome,
): void {
  if (allOrNothing) {
    const unmatched = attributes.filter(({ create }, i) => !create && !directory.assign(itemPeople[from + i]!, false))
    for (const item of unmatched) outcome.unmatched.add(item)
    if (unmatched.length > 0) return
  }
  let next = 0
  const applyAddressesUpTo = (applied: number) => {
    while (next < addresses.length && addresses[next]!.after <= applied) {
      const { kind, value, group_id, state } = addresses[next++]!
      addressed.push({ workspace_id, kind, value, group_id, state, stampUs: stamp() })
    }
  }
  for (const [i, { identifier, create, change, onlyNew }] of attributes.entries()) {
    applyAddressesUpTo(i)
    if (outcome.refused.has(change)) continue
    const newBefore = directory.newPeople.length
    const person = directory.assign(itemPeople[from + i]!, create)
    if (onlyNew && directory.newPeople.length === newBefore) continue
    if (!person) {
      outcome.unmatched.add(attributes[i]!)
      continue
    }
    const stampUs = stamp()
    directory.touch(person, stampUs)
    if (change.standard) {
      const { email, phone } = change.standard
      if (email !== undefined) directory.changeAddress(workspace_id, identifier, person, 'email', email)
      if (phone !== undefined)
        directory.changeAddress(workspace_id, identifier, person, 'phone', phone && (toE164(phone) ?? null))
    }
    const before = written.get(person.profile_id)
    if (before) before.steps.push({ change, stampUs })
    else written.set(person.profile_id, { person, workspace_id, steps: [{ change, stampUs }] })
  }
  applyAddressesUpTo(attributes.length)
}

function appendOccurrence(
  columns: EventColumns,
  person: Person,
  { timeMs, properties }: Pick<EventItem, 'timeMs' | 'properties'>,
  name_id: number,
  app_id: number | null,
): void {
  columns.bucket.push(person.bucket)
  columns.profile.push(person.key)
  columns.name.push(name_id)
  columns.app.push(app_id)
  columns.timeUs.push(timeMs * 1000)
  columns.properties.push(properties)
}
