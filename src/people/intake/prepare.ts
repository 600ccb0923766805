import type { Db } from '../../base/db/db.ts'
import { cachedNames, type NameKind, resolveNameIds } from '../../workspace/names/names.ts'
import type { Identities } from '../identity/identities.ts'
import { type Buckets, bucketsOf, type Person } from '../identity/person.ts'
import type { AddressItem } from '../subscription/set-request.ts'
import type { AttributeItem, EventItem, PurchaseItem, SplitTrack } from './split-track.ts'

/**
 * What one accepted request asks for, in the order in which it takes effect: attributes, events, purchases. Addresses say
 * themselves where among the attributes they come.
 */
export type PreparedRequest = {
  readonly workspace_id: number
  readonly attributes: readonly AttributeItem[]
  readonly events: readonly EventItem[]
  readonly purchases: readonly PurchaseItem[]
  readonly addresses: readonly AddressItem[]
  /** Numbers of event names and of products; undefined until `learnNames` where the cache did not know. */
  readonly eventIds: (number | undefined)[]
  readonly productIds: (number | undefined)[]
  /** Whom the cache knew for each item in that order, and the epoch of the cache in which it said so; else where to look. */
  readonly found: readonly (Person | Buckets | undefined)[]
  readonly epoch: number
}

type Accepted = Pick<SplitTrack, 'attributes' | 'events' | 'purchases'> & {
  readonly addresses?: readonly AddressItem[]
}

/** What most items name somebody by. */
const cachedKinds: ReadonlySet<string> = new Set(['external_id', 'email', 'phone'])
const noAddresses: readonly AddressItem[] = Object.freeze([])

/** Looks up in memory what a request names. Done before its flush, so that the database need not wait for it. */
export function prepare(db: Db, workspace_id: number, accepted: Accepted, identities: Identities): PreparedRequest {
  const { attributes, events, purchases } = accepted
  const { epoch } = identities
  const find = ({ identifier }: Pick<AttributeItem, 'identifier'>): Person | Buckets | undefined =>
    cachedKinds.has(identifier.kind)
      ? (identities.find(workspace_id, identifier) ?? bucketsOf(workspace_id, identifier.kind, identifier.value))
      : undefined
  const eventNames = cachedNames(db, workspace_id, 'event')
  const products = cachedNames(db, workspace_id, 'product')
  return {
    workspace_id,
    attributes,
    events,
    purchases,
    addresses: accepted.addresses ?? noAddresses,
    eventIds: events.map(({ name }) => eventNames.get(name)),
    productIds: purchases.map(({ product_id }) => products.get(product_id)),
    found: [...attributes.map(find), ...events.map(find), ...purchases.map(find)],
    epoch,
  }
}

/** The numbers of the apps that a flush names, by workspace. */
export type AppIds = (workspace_id: number, app_id: string | null) => number | null

/**
 * Gives every name of a flush its number. Outside any transaction, so that no lock on names is held: what was learned is
 * committed.
 */
export async function resolveNames(db: Db, works: readonly PreparedRequest[]): Promise<AppIds> {
  const apps = new Map<number, Map<string, number>>()
  for (const [workspace_id, own] of Map.groupBy(works, (work) => work.workspace_id)) {
    const resolveIds = async (
      kind: NameKind,
      names: (work: PreparedRequest) => string[],
      ids: (work: PreparedRequest) => Ids,
    ) => {
      const lacking = own.filter((work) => ids(work).includes(undefined))
      if (lacking.length === 0) return
      const known = await resolveNameIds(db, workspace_id, kind, lacking.flatMap(names))
      for (const work of lacking) for (const [i, name] of names(work).entries()) ids(work)[i] = known.get(name)
    }
    await resolveIds(
      'event',
      ({ events }) => events.map(({ name }) => name),
      ({ eventIds }) => eventIds,
    )
    await resolveIds(
      'product',
      ({ purchases }) => purchases.map(({ product_id }) => product_id),
      ({ productIds }) => productIds,
    )
    const named = appsOf(own)
    if (named.size > 0) apps.set(workspace_id, await resolveNameIds(db, workspace_id, 'app', [...named]))
  }
  return (workspace_id, app_id) => (app_id === null ? null : apps.get(workspace_id)!.get(app_id)!)
}

type Ids = (number | undefined)[]

/** In loops: with every flush it goes over everything that happened, and mostly in vain. */
function appsOf(works: readonly PreparedRequest[]): Set<string> {
  const named = new Set<string>()
  for (const { events, purchases } of works) {
    for (const { app_id } of events) if (app_id !== null) named.add(app_id)
    for (const { app_id } of purchases) if (app_id !== null) named.add(app_id)
  }
  return named
}
