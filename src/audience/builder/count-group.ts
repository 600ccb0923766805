import type { Call } from '../../base/call.ts'
import { notFound } from '../../base/errors.ts'
import { isCleanText } from '../../people/values/values.ts'
import { listConditionGroups } from '../conditions/reference-ids-store.ts'
import type { Tree } from '../conditions/tree.ts'
import { type CountServices, countTrees } from './count-audience.ts'
import type { GroupCountsReply } from './schema.ts'

/** Counts the people who are subscribed to a subscription group and those who are unsubscribed. Throws 404. */
export async function countGroup(
  call: Call,
  workspace_id: number,
  id: string,
  services: CountServices,
): Promise<GroupCountsReply> {
  const groups = isCleanText(id) ? await listConditionGroups(call.db, workspace_id, [id]) : []
  if (groups.length === 0) throw notFound(`There is no subscription group ${JSON.stringify(id)}`)
  const at = new Date(call.clock.now()).toISOString()
  const trees = (['subscribed', 'unsubscribed'] as const).map((state): Tree => {
    return { kind: 'subscription_group', subscription_group_id: id, state }
  })
  const [subscribed, unsubscribed] = await countTrees(call, workspace_id, trees, false, services)
  return { subscribed: subscribed!, unsubscribed: unsubscribed!, is_exact: subscribed!.error === 0, at }
}
