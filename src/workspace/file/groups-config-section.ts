import type { DoubleOptIn } from '../settings/double-opt-in.ts'
import { GroupShape, groupsMax } from '../settings/schema.ts'
import { archiveGroup, insertGroups, listGroups, type SubscriptionGroup, updateGroups } from '../settings/store.ts'
import type { ConfigSection } from './config-section.ts'

/**
 * The section `subscription_groups`. A group is never deleted, only archived: its states remain, and it accepts no new ones (contract,
 * section 3).
 */
export const groupsSection: ConfigSection<SubscriptionGroup> = {
  name: 'subscription_groups',
  path: 'subscription_groups',
  one: 'subscription_group',
  shape: GroupShape,
  countMax: groupsMax,
  counts: (group) => !group.archived,
  list: listGroups,
  resolve({ id, name, channel, archived, double_opt_in }, before) {
    if (before && before.channel !== channel) {
      const message = `cannot be changed from ${before.channel}: the states of people would change their meaning; make a new group`
      return { mistake: { path: 'channel', message } }
    }
    const optIn = (double_opt_in as DoubleOptIn | undefined) ?? before?.double_opt_in
    const kept = (archived as boolean | undefined) ?? before?.archived ?? false
    return {
      entry: {
        id,
        name,
        channel: channel as SubscriptionGroup['channel'],
        archived: kept,
        ...(optIn && { double_opt_in: optIn }),
      },
    }
  },
  toReply: (group) => ({ ...group }),
  async insert(tx, workspace_id, groups, at) {
    await insertGroups(tx, workspace_id, groups, at)
    return []
  },
  update: updateGroups,
  endSummary: 'Archive a subscription group.',
  end: archiveGroup,
}
