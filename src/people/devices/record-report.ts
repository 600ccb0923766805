import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Request } from '../../base/http/route.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import { resolveNameIds } from '../../workspace/names/names.ts'
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
import { type AssignmentServices, applyAssignment } from './apply-assignment.ts'
import { readReport, type SdkReport } from './read-report.ts'
import { resolveReport } from './resolve-report.ts'
import { type ReportCounting, writeReport } from './write-report.ts'

export type ReportServices = ResolveServices &
  AcceptServices &
  AssignmentServices & {
    workspaces: Workspaces
    serviceName: string
    formatServiceId(profile_id: string): string
    keyedMutex: KeyedMutex
  }

/**
 * Records the report of an SDK (`POST /sdk/data`) about a device, the use of an app, and the person who has the device, in one transaction.
 * Returns the service id of the person.
 */
export async function recordReport(
  call: Call,
  { body, request_id }: Request,
  services: ReportServices,
): Promise<Record<string, string>> {
  const { db, workspace_id } = call
  const { appIds, reservedExternalIds, settings } = services.workspaces.get(call.workspace_id)
  const words = identifierWords(services.serviceName)
  const localEmails = settings.local_email_domains
  const report = readReport(body, { nowMs: call.clock.now(), words, appIds, reservedExternalIds, localEmails })
  const apps = await resolveNameIds(db, workspace_id, 'app', [report.app_id])
  const counting: ReportCounting = { app: apps.get(report.app_id)!, zone: settings.time_zone }
  const { profile_id } = await services.keyedMutex.run(identityKey(call.workspace_id, deviceOf(report)), () =>
    retryWhenRemoved(() =>
      db.transaction((tx) => recordInTransaction(tx, call, request_id, report, counting, services)),
    ),
  )
  return { [words.serviceIdKey]: services.formatServiceId(profile_id) }
}

async function recordInTransaction(
  tx: Tx,
  call: Call,
  request_id: string,
  report: SdkReport,
  counting: ReportCounting,
  services: ReportServices,
): Promise<Person> {
  const { who } = report
  const device = deviceOf(report)
  const { assignment, before } = await resolveReport(tx, call, device, who, services)
  const applied = await applyAssignment(tx, call, device, assignment, before, services)
  const { person } = applied
  await writeReport(tx, call, report, applied, counting)
  const { merged } = assignment
  if (merged && who) {
    await recordMerge(tx, call, request_id, { who: device, into: who }, { from: merged, into: person }, services)
    await announceIdentityChanges(tx, [merged], call.clock.elapsed())
  }
  return person
}

function deviceOf({ device_id }: SdkReport): Identifier {
  return { kind: 'device', value: device_id }
}
