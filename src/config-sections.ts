import { permissionSetsSection, rolesSection } from './accounts/accounts/roles-config-section.ts'
import { teamsSection } from './accounts/accounts/teams-config-section.ts'
import { keysSection } from './accounts/keys/config-section.ts'
import { segmentsSection } from './audience/segments/config-section.ts'
import type { Tx } from './base/db/db.ts'
import { blocksSection } from './content/blocks/config-section.ts'
import { catalogsSection } from './content/catalogs/config-section.ts'
import { formsSection } from './content/forms/config-section.ts'
import { templatesSection } from './content/templates/config-section.ts'
import { draftedCampaigns, draftedCanvases } from './messaging/drafts/publish-draft.ts'
import { updateWatched } from './messaging/flows/watched-names.ts'
import { findUsers } from './messaging/heads/read-users.ts'
import { credentialsSection } from './messaging/mail/credentials-config-section.ts'
import { dkimKeysSection } from './messaging/mail/dkim-keys-config-section.ts'
import { checkedGroups } from './messaging/sign-up/checked-groups.ts'
import { webhooksSection } from './people/webhooks/config-section.ts'
import { appsSection } from './workspace/file/apps-config-section.ts'
import type { ConfigEntry, ConfigSection } from './workspace/file/config-section.ts'
import { groupsSection } from './workspace/file/groups-config-section.ts'

type UsedKind = 'segments' | 'content_blocks' | 'email_templates'

/** A section whose entries others refer to: an entry is not deleted while something uses it. */
function refusedWhileUsed<E extends ConfigEntry>(section: ConfigSection<E>, kind: UsedKind): ConfigSection<E> {
  return {
    ...section,
    findUsers: (tx: Tx, workspace_id: number, id: string) => findUsers(tx, workspace_id, kind, id),
  }
}

/** A segment that a flow names may read other signals after a change, so the watched signals are computed again. */
const watchedSegments: typeof segmentsSection = {
  ...refusedWhileUsed(segmentsSection, 'segments'),
  async update(tx, workspace_id, entries, at) {
    await segmentsSection.update?.(tx, workspace_id, entries, at)
    await updateWatched(tx, workspace_id, at.getTime())
  },
}

/** Every list of a workspace file, in the order in which they are written. */
export const configSections: readonly ConfigSection[] = [
  appsSection,
  keysSection,
  checkedGroups(groupsSection),
  formsSection,
  catalogsSection,
  watchedSegments,
  refusedWhileUsed(blocksSection, 'content_blocks'),
  refusedWhileUsed(templatesSection, 'email_templates'),
  credentialsSection,
  dkimKeysSection,
  webhooksSection,
  draftedCanvases,
  draftedCampaigns,
  teamsSection,
  rolesSection,
  permissionSetsSection,
]
