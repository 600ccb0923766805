import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Request } from '../../base/http/route.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { identityKey } from '../identity/directory.ts'
import type { Identifier } from '../identity/identifier.ts'
import { announceIdentityChanges } from '../identity/identity-change-store.ts'
import type { Person } from '../identity/person.ts'
import type { ResolveServices } from '../identity/resolve.ts'
import { retryWhenRemoved } from '../identity/retry-removed.ts'
import type { AcceptServices } from '../merge/accept-items.ts'
import { recordMerge } from '../merge/record-merge.ts'
import { identifierWords } from '../values/refusals.ts'
import { type Report, readReport } from './read.ts'
import { resolve } from './resolve.ts'
import { type SettleParts, settle } from './settle.ts'
import { tell } from './tell.ts'

export type RecordParts = ResolveServices &
  AcceptServices &
  SettleParts & {
    workspaces: Workspaces
    serviceName: string
    formatServiceId(profile_id: string): string
    keyedMutex: KeyedMutex
  }

/**
 * Records what an SDK tells of a device, of the use of an app and of the person who has the device; answers who that is. All of it
 * is written, or nothing.
 */
export async function record(
  call: Call,
  { body, request_id }: Request,
  parts: RecordParts,
): Promise<Record<string, string>> {
  const { appIds, reservedExternalIds } = parts.workspaces.get(call.workspace_id)
  const words = identifierWords(parts.serviceName)
  const report = readReport(body, { nowMs: call.clock.now(), words, appIds, reservedExternalIds })
  const { profile_id } = await parts.keyedMutex.run(identityKey(call.workspace_id, deviceOf(report)), () =>
    retryWhenRemoved(() => call.db.transaction((tx) => recordIn(tx, call, request_id, report, parts))),
  )
  return { [words.serviceIdKey]: parts.formatServiceId(profile_id) }
}

async function recordIn(tx: Tx, call: Call, request_id: string, report: Report, parts: RecordParts): Promise<Person> {
  const { who } = report
  const device = deviceOf(report)
  const { belonging, before } = await resolve(tx, call, device, who, parts)
  const settled = await settle(tx, call, device, belonging, before, parts)
  const { person } = settled
  await tell(tx, call, report, settled)
  const { absorbed } = belonging
  if (absorbed && who) {
    await recordMerge(tx, call, request_id, { who: device, into: who }, { from: absorbed, into: person }, parts)
    await announceIdentityChanges(tx, [absorbed], call.clock.elapsed())
  }
  return person
}

function deviceOf({ device_id }: Report): Identifier {
  return { kind: 'device', value: device_id }
}
