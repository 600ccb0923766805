import type { Tx } from '../../base/db/db.ts'
import type { ChangeAsked } from '../../messaging/journeys/services.ts'
import type { Workspaces } from '../../workspace/settings/cache.ts'
import type { HashAddress } from '../identity/person.ts'
import { readAttributes } from '../profile/attributes.ts'
import { openHeard } from '../signals/record-signals.ts'
import type { Watched } from '../signals/signals.ts'
import { identifierWords } from '../values/refusals.ts'
import type { Written } from './apply-items.ts'
import { writePeople } from './write.ts'

export type ApplyParts = {
  readonly hashAddress: HashAddress
  readonly workspaces: Pick<Workspaces, 'get'>
  readonly serviceName: string
  readonly watched: Watched
  newId(bucket: number): string
}

/**
 * Writes attributes in a transaction that others have begun, with everything that follows from them. What `/users/track` would refuse by
 * now is left out. Throws `Departed` when somebody is not there any more.
 */
export async function applyChanges(tx: Tx, asked: readonly ChangeAsked[], parts: ApplyParts): Promise<void> {
  const written = new Map<string, Written>()
  const words = identifierWords(parts.serviceName)
  for (const { person, workspace_id, attributes, stampUs } of asked) {
    const { appIds, groups } = parts.workspaces.get(workspace_id)
    // Nobody is named by it: an address that the attributes say would be one like any other.
    const who = { kind: 'external_id', value: '' } as const
    const change = readAttributes(attributes, who, { suspicious: true, appIds, groups }, words)
    if (typeof change === 'string') continue
    const before = written.get(person.profile_id)
    if (before) before.steps.push({ change, stampUs })
    else written.set(person.profile_id, { person, workspace_id, steps: [{ change, stampUs }] })
  }
  if (written.size === 0) return
  const heard = await openHeard(tx, parts.watched, parts.newId)
  await writePeople(tx, { written, addressed: [] }, [], parts.hashAddress, heard, () => {})
  await heard.write(tx)
}
