import { appsMember } from '../workspace/apps.ts'
import { groupsMember } from '../workspace/groups.ts'
import { keysMember } from '../workspace/keys.ts'
import type { Member } from '../workspace/member.ts'

/** Every list a workspace file can have, in the order in which they are written. A new kind of configuration is one more line. */
export const members: readonly Member[] = [appsMember, keysMember, groupsMember]
