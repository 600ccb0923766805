import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { type NoticeMembers, Notices } from '../../base/http/notices.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { cohortText } from './cohort-names.ts'
import { countCohorts, findCohort, insertCohorts, updateCohortName } from './cohort-store.ts'
import { readCohort, readPartner } from './read-request.ts'
import { cohortsMax, tooManyCohorts } from './schema.ts'

/** Creates a cohort of a partner, or changes its name: `POST /partners/{partner}/cohorts`. */
export async function setCohort(
  call: Call,
  givenPartner: unknown,
  body: unknown,
): Promise<NoticeMembers & { message: 'success' }> {
  const { db, workspace_id, clock, strict } = call
  const partner = readPartner(givenPartner)
  const notices = new Notices(strict)
  const { id, name, created_at } = readCohort(body, notices)
  notices.check()
  const at = new Date(clock.now())
  const target = { kind: 'cohort', id: cohortText({ partner, id }), name }
  const cohort = { partner, cohort_id: id, name }
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    const before = await findCohort(tx, workspace_id, partner, id)
    if (before === undefined) {
      if ((await countCohorts(tx, workspace_id)) >= cohortsMax) throw invalid(tooManyCohorts)
      const times = { created_at: (created_at ?? at).getTime() * 1000, updated_at: at.getTime() * 1000 }
      await insertCohorts(tx, workspace_id, [{ partner, id, name, ...times }])
      await recordAudit(tx, call, { action: 'cohort.create', target, after: cohort, workspace_id })
    } else if (before.name !== name) {
      await updateCohortName(tx, before.cohort_id, name, at)
      const was = { ...cohort, name: before.name }
      await recordAudit(tx, call, { action: 'cohort.update', target, before: was, after: cohort, workspace_id })
    }
  })
  return { ...notices.members(), message: 'success' }
}
