import type { AttributeChange } from '../profiles/attributes.ts'
import type { Directory, Named } from '../profiles/directory.ts'
import { type EventColumns, emptyEvents, emptyPurchases, type PurchaseColumns } from '../profiles/history.ts'
import { toE164 } from '../profiles/identifier.ts'
import type { Person } from '../profiles/ref.ts'
import type { NameKind } from '../workspace/names.ts'
import type { TrackWork } from './intake.ts'
import type { EventItem } from './split.ts'

/** One attributes object that took effect, with its stamp (epoch microseconds). */
export type Step = { change: AttributeChange; stampUs: number }

/** Everything a flush writes to one profile, in order. */
export type Written = { person: Person; workspace_id: number; steps: Step[] }

export type Played = { written: Map<string, Written>; events: EventColumns; purchases: PurchaseColumns }

export type PlayParts = {
  stamp(): number
  nameId(workspace_id: number, kind: NameKind, name: string): number
}

/** Whom the items of a flush name, in the order in which they take effect. */
export type Mentions = readonly (Person | Named)[]

/** Tells the directory everybody a flush names. */
export function mention(works: readonly TrackWork[], directory: Directory): Mentions {
  const mentions: (Person | Named)[] = []
  for (const { workspace_id, attributes, events, purchases } of works) {
    for (const { who, create } of attributes) mentions.push(directory.mention(workspace_id, who, create))
    for (const { who, create } of events) mentions.push(directory.mention(workspace_id, who, create))
    for (const { who, create } of purchases) mentions.push(directory.mention(workspace_id, who, create))
  }
  return mentions
}

/** Decides, item by item in the order in which they take effect, whom each item of a flush acts on. No I/O. */
export function play(works: readonly TrackWork[], mentions: Mentions, directory: Directory, parts: PlayParts): Played {
  const played: Played = { written: new Map(), events: emptyEvents(), purchases: emptyPurchases() }
  let at = 0
  for (const work of works) {
    playAttributes(work, mentions, at, directory, parts, played.written)
    at += work.attributes.length
    for (const item of work.events) {
      const person = directory.assign(mentions[at++]!, item.create)
      if (!person) continue
      append(played.events, person, item, parts.nameId(work.workspace_id, 'event', item.name), work.workspace_id, parts)
    }
    for (const item of work.purchases) {
      const person = directory.assign(mentions[at++]!, item.create)
      if (!person) continue
      append(
        played.purchases,
        person,
        item,
        parts.nameId(work.workspace_id, 'product', item.product_id),
        work.workspace_id,
        parts,
      )
      played.purchases.price.push(item.price)
      played.purchases.currency.push(item.currency)
      played.purchases.quantity.push(item.quantity)
    }
  }
  return played
}

function playAttributes(
  { workspace_id, attributes }: TrackWork,
  mentions: Mentions,
  from: number,
  directory: Directory,
  parts: PlayParts,
  written: Map<string, Written>,
): void {
  for (const [i, { who, create, change }] of attributes.entries()) {
    const person = directory.assign(mentions[from + i]!, create)
    if (!person) continue
    const stampUs = parts.stamp()
    directory.touch(person, stampUs)
    if (change.standard) {
      const { email, phone } = change.standard
      if (email !== undefined) directory.readdress(workspace_id, who, person, 'email', email)
      if (phone !== undefined) directory.readdress(workspace_id, who, person, 'phone', phone && (toE164(phone) ?? null))
    }
    const before = written.get(person.profile_id)
    if (before) before.steps.push({ change, stampUs })
    else written.set(person.profile_id, { person, workspace_id, steps: [{ change, stampUs }] })
  }
}

type Occurrence = Pick<EventItem, 'app_id' | 'timeMs' | 'properties'>

function append(
  columns: EventColumns,
  person: Person,
  item: Occurrence,
  name_id: number,
  workspace_id: number,
  parts: PlayParts,
): void {
  columns.bucket.push(person.bucket)
  columns.profile.push(person.key)
  columns.name.push(name_id)
  columns.app.push(item.app_id === null ? null : parts.nameId(workspace_id, 'app', item.app_id))
  columns.timeUs.push(item.timeMs * 1000)
  columns.properties.push(item.properties)
}
