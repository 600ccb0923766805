import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { findFlow, flowsById } from '../flows/find-flows.ts'
import type { Flow, Step } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { messageErrors } from './message-schema.ts'

/** A campaign that messages can belong to, with the channel of each of its variations, by id. */
export type MessageCampaign = { readonly flow_id: number; readonly variations: ReadonlyMap<string, string> }

/** Returns the campaign with this id, undefined when there is none. */
export async function findCampaign(
  tx: Tx,
  workspace_id: number,
  id: unknown,
  graphs: Graphs,
): Promise<MessageCampaign | undefined> {
  const flow = typeof id === 'string' && id !== '' ? await findFlow(tx, workspace_id, 'campaign', id) : undefined
  return flow && loadVariations(tx, flow, graphs)
}

/** Returns the current version of a campaign. */
export async function findCampaignById(tx: Tx, flow_id: number, graphs: Graphs): Promise<MessageCampaign | undefined> {
  const flow = (await flowsById(tx, [flow_id])).get(flow_id)
  return flow && loadVariations(tx, flow, graphs)
}

async function loadVariations(tx: Tx, { flow_id, version }: Flow, graphs: Graphs): Promise<MessageCampaign> {
  const { variants, steps } = await graphs.get(tx, flow_id, version)
  return { flow_id, variations: new Map(variants.map(({ id, first }) => [id, channelAt(steps.get(first))])) }
}

function channelAt(step: Step | undefined): string {
  return step?.type === 'message' ? step.channel : ''
}

/** Returns the campaign that a request names, undefined when it names none. Throws 400 for one that does not exist. */
export function readCampaign(given: unknown, found: MessageCampaign | undefined): MessageCampaign | undefined {
  if (!isGiven(given)) return undefined
  if (!found) throw invalid(messageErrors.invalidCampaign)
  return found
}

/** Throws 400 for a message of a campaign that does not name one of its variations, and for a variation without a campaign. */
export function checkVariation(campaign: MessageCampaign | undefined, channel: string, given: unknown): void {
  if (!isGiven(given)) {
    if (campaign) throw invalid(messageErrors.variantUnspecified)
    return
  }
  const belongsTo = typeof given === 'string' ? campaign?.variations.get(given) : undefined
  if (belongsTo === undefined) throw invalid(messageErrors.invalidVariant)
  if (belongsTo !== channel) throw invalid(messageErrors.mismatchedType)
}
