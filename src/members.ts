import { teamsMember } from './accounts/accounts/teams-config-section.ts'
import { keysMember } from './accounts/keys/config-section.ts'
import { permissionSetsMember, rolesMember } from './accounts/permissions/config-sections.ts'
import { segmentsMember } from './audience/segments/config-section.ts'
import { blocksMember } from './content/blocks/config-section.ts'
import { catalogsMember } from './content/catalogs/config-section.ts'
import { templatesMember } from './content/templates/config-section.ts'
import { campaignsMember, canvasesMember } from './messaging/flows/config-section.ts'
import { rewatch } from './messaging/flows/watching.ts'
import { credentialsMember } from './messaging/mail/credentials-config-section.ts'
import { dkimKeysMember } from './messaging/mail/dkim-keys-config-section.ts'
import { appsMember } from './workspace/file/apps-config-section.ts'
import type { Member } from './workspace/file/config-section.ts'
import { groupsMember } from './workspace/file/groups-config-section.ts'

/** What a segment reads is listened to where a flow names it. */
const watchedSegments: typeof segmentsMember = {
  ...segmentsMember,
  async update(tx, workspace_id, entries, at) {
    await segmentsMember.update(tx, workspace_id, entries, at)
    await rewatch(tx, workspace_id, at.getTime())
  },
}

/** Every list a workspace file can have, in the order in which they are written. A new kind of configuration is one more line. */
export const members: readonly Member[] = [
  appsMember,
  keysMember,
  groupsMember,
  catalogsMember,
  watchedSegments,
  blocksMember,
  templatesMember,
  credentialsMember,
  dkimKeysMember,
  canvasesMember,
  campaignsMember,
  teamsMember,
  rolesMember,
  permissionSetsMember,
]
