import { catalogsMember } from '../catalogs/member.ts'
import { blocksMember } from '../content/block-member.ts'
import { templatesMember } from '../content/template-member.ts'
import { credentialsMember } from '../mail/credentials.ts'
import { dkimKeysMember } from '../mail/dkim-keys.ts'
import { segmentsMember } from '../segments/member.ts'
import { appsMember } from '../workspace/apps.ts'
import { groupsMember } from '../workspace/groups.ts'
import { keysMember } from '../workspace/keys.ts'
import type { Member } from '../workspace/member.ts'

/** Every list a workspace file can have, in the order in which they are written. A new kind of configuration is one more line. */
export const members: readonly Member[] = [
  appsMember,
  keysMember,
  groupsMember,
  catalogsMember,
  segmentsMember,
  blocksMember,
  templatesMember,
  credentialsMember,
  dkimKeysMember,
]
