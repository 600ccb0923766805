import { defineRoute, type Route } from '../../base/http/route.ts'
import { CohortPath } from '../../people/cohorts/schema.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { removeCohort } from './delete-cohort.ts'

/** The route that deletes a cohort. It stands with segments, because they may name cohorts. */
export function cohortEndRoutes(): Route[] {
  return [
    defineRoute({
      method: 'DELETE',
      path: '/admin/cohorts/{partner}/{cohort_id}',
      permission: 'admin',
      ability: 'segments.end',
      errors: 'standard',
      summary: 'Delete a cohort of a partner that no segment names. Its people stay.',
      params: CohortPath,
      query: WorkspaceQuery,
      reply: { 204: null },
      refusals: { 404: 'There is no such cohort.', 409: 'A segment names it; the message has its name.' },
      handle: async (call, request) => {
        const { partner, cohort_id } = request.params
        await removeCohort(call, await selectedId(call, request), { partner: partner!, cohort_id: cohort_id! })
        return undefined
      },
    }),
  ]
}
