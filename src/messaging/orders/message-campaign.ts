import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { findFlow, flowsById } from '../flows/find.ts'
import type { Flow } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { type Channel, texts } from './message-schema.ts'

/** A campaign that messages can belong to: the channel of each of its variations, by id. */
export type Campaign = { readonly flow_id: number; readonly variations: ReadonlyMap<string, Channel> }

/** The campaign with this id, if there is one. */
export async function findCampaign(
  tx: Tx,
  workspace_id: number,
  id: unknown,
  graphs: Graphs,
): Promise<Campaign | undefined> {
  const flow = typeof id === 'string' && id !== '' ? await findFlow(tx, workspace_id, 'campaign', id) : undefined
  return flow && campaignOf(tx, flow, graphs)
}

/** The campaign that an order belongs to, as it is now. */
export async function findCampaignById(tx: Tx, flow_id: number, graphs: Graphs): Promise<Campaign | undefined> {
  const flow = (await flowsById(tx, [flow_id])).get(flow_id)
  return flow && campaignOf(tx, flow, graphs)
}

async function campaignOf(tx: Tx, { flow_id, version }: Flow, graphs: Graphs): Promise<Campaign> {
  const { variants } = await graphs.graphOf(tx, flow_id, version)
  return { flow_id, variations: new Map(variants.map(({ id }) => [id, 'email'])) }
}

/** The campaign a request names, or undefined when it names none. Throws 400 for one that does not exist. */
export function readCampaign(given: unknown, found: Campaign | undefined): Campaign | undefined {
  if (!isGiven(given)) return undefined
  if (!found) throw invalid(texts.invalidCampaign)
  return found
}

/** Each message of a campaign says which of its variations it is; without a campaign there are none. Throws 400. */
export function checkVariation(campaign: Campaign | undefined, channel: Channel, given: unknown): void {
  if (!isGiven(given)) {
    if (campaign) throw invalid(texts.variantUnspecified)
    return
  }
  const belongsTo = typeof given === 'string' ? campaign?.variations.get(given) : undefined
  if (belongsTo === undefined) throw invalid(texts.invalidVariant)
  if (belongsTo !== channel) throw invalid(texts.mismatchedType)
}
