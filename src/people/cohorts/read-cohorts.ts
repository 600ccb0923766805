import type { Call } from '../../base/call.ts'
import { listCountedCohorts } from './cohort-store.ts'
import type { ListedCohort } from './schema.ts'

/** Lists the cohorts of a workspace with their sizes, by partner and name: `GET /admin/cohorts`. */
export async function readCohorts({ db }: Call, workspace_id: number): Promise<{ cohorts: ListedCohort[] }> {
  const rows = await listCountedCohorts(db, workspace_id)
  return {
    cohorts: rows.map(({ partner, id, name, members, created_at, updated_at }) => ({
      ...{ partner, cohort_id: id, name, members },
      created_at: created_at.toISOString(),
      updated_at: updated_at.toISOString(),
    })),
  }
}
