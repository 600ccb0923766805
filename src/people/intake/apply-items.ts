import { type EventColumns, emptyEvents, emptyPurchases, type PurchaseColumns } from '../history/history-store.ts'
import type { Directory, Lookup } from '../identity/directory.ts'
import { toE164 } from '../identity/identifier.ts'
import { isPerson, type Person } from '../identity/person.ts'
import type { AttributeChange } from '../profile/attributes.ts'
import type { SignalRecorder } from '../signals/record-signals.ts'
import type { AddressGroupState } from '../subscription/address-state-store.ts'
import type { AppIds, PreparedRequest } from './prepare.ts'
import type { EventItem } from './split-track.ts'

/** One attributes object that took effect, with its stamp (epoch microseconds). */
export type AttributeStep = { change: AttributeChange; stampUs: number }

/** Everything a flush writes to one profile, in order. */
export type ProfileSteps = { person: Person; workspace_id: number; steps: AttributeStep[] }

export type AppliedItems = {
  written: Map<string, ProfileSteps>
  addressed: AddressGroupState[]
  events: EventColumns
  purchases: PurchaseColumns
}

/** Whom the items of a flush name, in the order in which they take effect. */
export type ItemPeople = readonly (Person | Lookup)[]

/** Tells the directory everybody a flush names whom the cache did not know already. */
export function lookUpItems(works: readonly PreparedRequest[], directory: Directory): ItemPeople {
  const mentions: (Person | Lookup)[] = []
  for (const { workspace_id, attributes, events, purchases, found, epoch } of works) {
    const fresh = directory.isCurrent(epoch)
    let at = 0
    for (const items of [attributes, events, purchases]) {
      for (const { identifier, create } of items) {
        const { [at]: early } = found
        const known = early && isPerson(early)
        if (known && fresh) mentions.push(directory.addFound(early))
        else mentions.push(directory.lookUp(workspace_id, identifier, create, known ? undefined : early))
        at++
      }
    }
  }
  return mentions
}

/**
 * Events of people whom the cache knows. Whose they are depends on nothing else in the flush, so the database can write them while
 * everybody else is looked up and decided upon.
 */
export function eventsOfKnown(works: readonly PreparedRequest[], mentions: ItemPeople, appId: AppIds): EventColumns {
  const rows = emptyEvents()
  let at = 0
  for (const { workspace_id, attributes, events, purchases, eventIds } of works) {
    at += attributes.length
    for (const [i, item] of events.entries()) {
      const mentioned = mentions[at++]!
      if (isPerson(mentioned)) appendOccurrence(rows, mentioned, item, eventIds[i]!, appId(workspace_id, item.app_id))
    }
    at += purchases.length
  }
  return rows
}

/**
 * Decides, item by item in the order in which they take effect, whom each item of a flush acts on, and what is heard of it; events that
 * `playKnown` has written are heard only. No I/O.
 */
export function applyItems(
  works: readonly PreparedRequest[],
  mentions: ItemPeople,
  directory: Directory,
  appId: AppIds,
  stamp: () => number,
  recorder: SignalRecorder,
): AppliedItems {
  const played: AppliedItems = { written: new Map(), addressed: [], events: emptyEvents(), purchases: emptyPurchases() }
  let at = 0
  for (const work of works) {
    const { workspace_id, attributes, events, purchases, eventIds, productIds } = work
    applyAttributes(work, mentions, at, directory, stamp, played)
    at += attributes.length
    const watched = recorder.watchedIn(workspace_id)
    for (const [i, item] of events.entries()) {
      const mentioned = mentions[at++]!
      const person = directory.assign(mentioned, item.create)
      if (!person) continue
      if (!isPerson(mentioned))
        appendOccurrence(played.events, person, item, eventIds[i]!, appId(workspace_id, item.app_id))
      if (watched?.isSignalled('event', item.name)) {
        const { name, properties } = item
        const moments = { timeUs: item.timeMs * 1000, atUs: stamp() }
        recorder.addOccurrence(person, workspace_id, { kind: 'event', name, ...moments, properties })
      }
    }
    for (const [i, item] of purchases.entries()) {
      const person = directory.assign(mentions[at++]!, item.create)
      if (!person) continue
      appendOccurrence(played.purchases, person, item, productIds[i]!, appId(workspace_id, item.app_id))
      played.purchases.price.push(item.price)
      played.purchases.currency.push(item.currency)
      played.purchases.quantity.push(item.quantity)
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
  return played
}

function applyAttributes(
  { workspace_id, attributes, addresses }: PreparedRequest,
  mentions: ItemPeople,
  from: number,
  directory: Directory,
  stamp: () => number,
  { written, addressed }: AppliedItems,
): void {
  let next = 0
  const applyAddressesUpTo = (played: number) => {
    while (next < addresses.length && addresses[next]!.after <= played) {
      const { kind, value, group_id, state } = addresses[next++]!
      addressed.push({ workspace_id, kind, value, group_id, state, stampUs: stamp() })
    }
  }
  for (const [i, { identifier, create, change }] of attributes.entries()) {
    applyAddressesUpTo(i)
    const person = directory.assign(mentions[from + i]!, create)
    if (!person) continue
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
