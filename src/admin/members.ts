import { permissionSetsMember, rolesMember } from '../accounts/bundles.ts'
import { teamsMember } from '../accounts/teams.ts'
import { catalogsMember } from '../catalogs/member.ts'
import { blocksMember } from '../content/block-member.ts'
import { templatesMember } from '../content/template-member.ts'
import { campaignsMember, canvasesMember } from '../flows/member.ts'
import { rewatch } from '../flows/watching.ts'
import { credentialsMember } from '../mail/credentials.ts'
import { dkimKeysMember } from '../mail/dkim-keys.ts'
import { segmentsMember } from '../segments/member.ts'
import { appsMember } from '../workspace/apps.ts'
import { groupsMember } from '../workspace/groups.ts'
import { keysMember } from '../workspace/keys.ts'
import type { Member } from '../workspace/member.ts'

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
