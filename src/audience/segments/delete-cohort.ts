import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { cohortText } from '../../people/cohorts/cohort-names.ts'
import { type CohortRow, deleteCohort, findCohort } from '../../people/cohorts/cohort-store.ts'
import { deleteSomeMembers } from '../../people/cohorts/member-store.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { tryParseSegment } from '../conditions/parse-condition.ts'
import { ownLeavesOf } from '../conditions/tree.ts'
import { listSegments } from './store.ts'

/** Members that one transaction takes out. */
const membersMax = 10_000

export type CohortPath = { readonly partner: string; readonly cohort_id: string }

/**
 * Deletes a cohort: `DELETE /admin/cohorts/{partner}/{cohort_id}`. Takes its people out first, some in each transaction. Throws
 * 404, and 409 while a segment names the cohort.
 */
export async function removeCohort(call: Call, workspace_id: number, path: CohortPath): Promise<void> {
  const { db } = call
  const { cohort_id } = await getUnused(db, workspace_id, path)
  const options = { settings: shortLockTimeout }
  while ((await db.transaction((tx) => deleteSomeMembers(tx, cohort_id, membersMax), options)) === membersMax);
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    const { partner, id, name } = await getUnused(tx, workspace_id, path)
    // From here on nobody can be added: `changeMembers` locks the cohort.
    await deleteCohort(tx, cohort_id)
    while ((await deleteSomeMembers(tx, cohort_id, membersMax)) === membersMax);
    const target = { kind: 'cohort', id: cohortText({ partner, id }), name }
    await recordAudit(tx, call, {
      action: 'cohort.delete',
      target,
      before: { partner, cohort_id: id, name },
      workspace_id,
    })
  }, options)
}

/** Returns a cohort that no segment names. Throws 404 and 409. */
async function getUnused(tx: Tx, workspace_id: number, { partner, cohort_id }: CohortPath): Promise<CohortRow> {
  const cohort = await findCohort(tx, workspace_id, partner, cohort_id)
  if (cohort === undefined)
    throw notFound(`There is no cohort ${JSON.stringify(cohortText({ partner, id: cohort_id }))}`)
  const naming = (await listSegments(tx, workspace_id)).filter(({ audience }) => {
    const parsed = tryParseSegment(audience, 'audience')
    if (!('tree' in parsed)) return false
    return ownLeavesOf(parsed.tree).some(
      (leaf) => leaf.kind === 'cohort' && leaf.partner === partner && leaf.cohort_id === cohort_id,
    )
  })
  if (naming.length === 0) return cohort
  const names = naming.map(({ name }) => JSON.stringify(name)).join(', ')
  const [segments, them] = naming.length === 1 ? ['segment', 'it'] : ['segments', 'them']
  throw conflict(`The cohort is named by the ${segments} ${names}: change or delete ${them} first`)
}
