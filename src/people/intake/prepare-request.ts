import type { Db } from '../../base/db/db.ts'
import type { Once } from '../../base/http/idempotency.ts'
import { cachedNames, type NameKind, resolveNameIds } from '../../workspace/names/names.ts'
import type { Identities } from '../identity/identities.ts'
import { type Buckets, bucketsOf, type Person } from '../identity/person.ts'
import { keepAttributeNames, unknownAttributes } from '../profile/attribute-names.ts'
import type { AttributeTypes } from '../profile/attribute-types.ts'
import type { AddressItem } from '../subscription/set-request.ts'
import type { ItemLosses } from './flush-outcome.ts'
import type { AttributeItem, EventItem, PurchaseItem, SplitTrack } from './split-track.ts'

/**
 * The accepted items of one request, in the order in which they take effect: attributes, events, purchases. Each address item has the
 * number of attributes that come before it.
 */
export type PreparedRequest = {
  /** Its key, if it has one, and its answer, which is stored with its items. */
  readonly once?: Once & { replyTo(losses: ItemLosses): object | undefined }
  readonly workspace_id: number
  readonly attributes: readonly AttributeItem[]
  readonly events: readonly EventItem[]
  readonly purchases: readonly PurchaseItem[]
  readonly addresses: readonly AddressItem[]
  /** Whether none of the attributes and addresses is applied when one of those that create nobody is about nobody. */
  readonly allOrNothing: boolean
  /** Numbers of event names and products; undefined until `resolveNames` if the cache does not have them. */
  readonly eventIds: (number | undefined)[]
  readonly productIds: (number | undefined)[]
  /** Names of custom attributes, with their types, that the cache does not have. */
  readonly newAttributes: AttributeTypes | undefined
  /** The person of each item in that order, from the cache in `epoch`; else the buckets of the identifier. */
  readonly found: readonly (Person | Buckets | undefined)[]
  readonly epoch: number
}

type Accepted = Pick<SplitTrack, 'attributes' | 'events' | 'purchases'> & {
  readonly addresses?: readonly AddressItem[]
  readonly allOrNothing?: boolean
}

/** The kinds of identifiers that most items have. */
const cachedKinds: ReadonlySet<string> = new Set(['external_id', 'email', 'phone'])
const noAddresses: readonly AddressItem[] = Object.freeze([])

/** Looks up the names and people of a request in memory. This happens before the flush, so that the database need not wait for it. */
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
    allOrNothing: accepted.allOrNothing === true,
    eventIds: events.map(({ name }) => eventNames.get(name)),
    productIds: purchases.map(({ product_id }) => products.get(product_id)),
    newAttributes: unknownAttributes(db, workspace_id, attributes),
    found: [...attributes.map(find), ...events.map(find), ...purchases.map(find)],
    epoch,
  }
}

/** Returns the number of an app that a flush names. */
export type AppIds = (workspace_id: number, app_id: string | null) => number | null

/**
 * Finds the number of every name of a flush, and keeps the names of custom attributes. Runs outside the transaction, so that no lock on
 * names is held and what is cached is committed.
 */
export async function resolveNames(db: Db, requests: readonly PreparedRequest[]): Promise<AppIds> {
  const apps = new Map<number, Map<string, number>>()
  for (const [workspace_id, own] of Map.groupBy(requests, (request) => request.workspace_id)) {
    const resolveIds = async (
      kind: NameKind,
      names: (request: PreparedRequest) => string[],
      ids: (request: PreparedRequest) => Ids,
    ) => {
      const incomplete = own.filter((request) => ids(request).includes(undefined))
      if (incomplete.length === 0) return
      const known = await resolveNameIds(db, workspace_id, kind, incomplete.flatMap(names))
      for (const request of incomplete)
        for (const [i, name] of names(request).entries()) ids(request)[i] = known.get(name)
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
    const added = newAttributesOf(own)
    if (added) await keepAttributeNames(db, workspace_id, added)
    const appIds = appIdsOf(own)
    if (appIds.size > 0) apps.set(workspace_id, await resolveNameIds(db, workspace_id, 'app', [...appIds]))
  }
  return (workspace_id, app_id) => (app_id === null ? null : apps.get(workspace_id)!.get(app_id)!)
}

type Ids = (number | undefined)[]

function newAttributesOf(requests: readonly PreparedRequest[]): AttributeTypes | undefined {
  let added: Map<string, number> | undefined
  for (const { newAttributes } of requests) {
    if (newAttributes === undefined) continue
    added ??= new Map()
    for (const [name, types] of newAttributes) added.set(name, (added.get(name) ?? 0) | types)
  }
  return added
}

/** Collects the names without a number. Uses plain loops, because every flush runs them over all its items, mostly without a result. */
function appIdsOf(requests: readonly PreparedRequest[]): Set<string> {
  const appIds = new Set<string>()
  for (const { events, purchases } of requests) {
    for (const { app_id } of events) if (app_id !== null) appIds.add(app_id)
    for (const { app_id } of purchases) if (app_id !== null) appIds.add(app_id)
  }
  return appIds
}
