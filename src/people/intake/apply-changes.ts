import type { Db, Tx } from '../../base/db/db.ts'
import { Notices } from '../../base/http/notices.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { HashAddress, Person } from '../identity/person.ts'
import { keepAttributeNamesWithin, unknownAttributes } from '../profile/attribute-names.ts'
import { readAttributes } from '../profile/attributes.ts'
import { openRecorder } from '../signals/record-signals.ts'
import type { Watched } from '../signals/signals.ts'
import { identifierWords } from '../values/refusals.ts'
import type { ProfileSteps } from './apply-items.ts'
import { FlushOutcome } from './flush-outcome.ts'
import { writePeople } from './write-people.ts'

/** Attributes to write to one profile, in the format of `/users/track`, without identifiers and addresses. */
export type AttributesWrite = {
  readonly person: Person
  readonly workspace_id: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** Epoch microseconds. */
  readonly stampUs: number
}

export type ApplyServices = {
  readonly db: Db
  readonly hashAddress: HashAddress
  readonly workspaces: Pick<Workspaces, 'get'>
  readonly serviceName: string
  readonly watched: Watched
  newId(bucket: number): string
}

/**
 * Writes attributes of existing people in the caller's transaction, with the rows that follow from them (group states, push tokens,
 * signals). Attributes that `/users/track` would refuse today are skipped, also those that make a profile too large. Throws
 * `PersonRemoved` when a person was merged or deleted.
 */
export async function applyChanges(tx: Tx, writes: readonly AttributesWrite[], services: ApplyServices): Promise<void> {
  const written = new Map<string, ProfileSteps>()
  const words = identifierWords(services.serviceName)
  for (const { person, workspace_id, attributes, stampUs } of writes) {
    const { appIds, groups, settings, blockedAttributes } = services.workspaces.get(workspace_id)
    // No identifier of this object names the person, so an address in it is an ordinary attribute.
    const identifier = { kind: 'external_id', value: '' } as const
    const change = readAttributes(
      attributes,
      identifier,
      { suspicious: true, appIds, groups, nestedNulls: settings.nested_nulls, blockedAttributes },
      words,
      new Notices(false),
    )
    if (typeof change === 'string') continue
    const before = written.get(person.profile_id)
    if (before) before.steps.push({ change, stampUs })
    else written.set(person.profile_id, { person, workspace_id, steps: [{ change, stampUs }] })
  }
  if (written.size === 0) return
  await keepNames(tx, services.db, [...written.values()])
  const recorder = await openRecorder(tx, services.newId, services.watched)
  await writePeople(tx, { written, addressed: [] }, [], services.hashAddress, recorder, () => {}, new FlushOutcome())
  await recorder.write(tx)
}

async function keepNames(tx: Tx, db: Db, written: readonly ProfileSteps[]): Promise<void> {
  for (const [workspace_id, own] of Map.groupBy(written, (each) => each.workspace_id)) {
    const found = unknownAttributes(
      db,
      workspace_id,
      own.flatMap(({ steps }) => steps),
    )
    if (found) await keepAttributeNamesWithin(tx, db, workspace_id, found)
  }
}
