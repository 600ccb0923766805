import type { ConfirmationSource } from '../../people/confirmations/confirmation.ts'
import type { Person } from '../../people/identity/person.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import { findOwnerState } from './owner-state-store.ts'
import { questionChannels } from './question-channel.ts'
import { type RequestOutcome, type RequestServices, requestConfirmation } from './request-confirmation.ts'

/** Asks a person, at their current address, to confirm that they want to be in a group. */
export type AskConfirmation = (
  workspace_id: number,
  asked: { readonly person: Person; readonly group: GroupRow; readonly source: ConfirmationSource },
) => Promise<RequestOutcome>

/** Opens the way by which lower rooms ask for confirmations. */
export function openAskConfirmation(services: RequestServices): AskConfirmation {
  return async (workspace_id, { person, group, source }) => {
    const owner = await findOwnerState(services.db, person)
    const address = owner && questionChannels[group.channel].addressOf(owner)
    if (address === undefined) return 'gone'
    return requestConfirmation({ workspace_id, person, address, group, source, from: null }, services)
  }
}
