import { invalid } from '../base/errors.ts'
import { isGiven } from '../profiles/identifier.ts'
import { type Channel, texts } from './schema.ts'

/** A campaign that messages can belong to: the channel of each of its variations, by id. */
export type Campaign = { readonly variations: ReadonlyMap<string, Channel> }

/** The campaign a request names, or undefined when it names none. Throws 400 for one that does not exist. */
export function readCampaign(given: unknown, find: (id: string) => Campaign | undefined): Campaign | undefined {
  if (!isGiven(given)) return undefined
  const campaign = typeof given === 'string' ? find(given) : undefined
  if (!campaign) throw invalid(texts.invalidCampaign)
  return campaign
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
