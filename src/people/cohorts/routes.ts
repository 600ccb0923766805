import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { changeMembers } from './change-members.ts'
import { readCohorts } from './read-cohorts.ts'
import { ChangedReply, CohortBody, CohortsReply, MembersBody, PartnerPath } from './schema.ts'
import { setCohort } from './set-cohort.ts'

const partner = {
  method: 'POST',
  permission: 'partners.cohorts',
  keyMember: 'client_secret',
  limit: 'cohorts',
  errors: 'standard',
  params: PartnerPath,
} as const

/** Cohorts: groups of people that other programs put together and send. */
export function cohortRoutes(): Route[] {
  return [
    defineRoute({
      ...partner,
      path: '/partners/{partner}/cohorts',
      summary: 'Create a cohort of a partner, or change its name',
      body: CohortBody,
      reply: { 201: ChangedReply },
      handle: (call, { params, body }) => setCohort(call, params.partner, body),
    }),
    defineRoute({
      ...partner,
      path: '/partners/{partner}/cohorts/users',
      summary: 'Add people to a cohort, or take them out of it',
      body: MembersBody,
      reply: { 201: ChangedReply },
      handle: (call, { params, body }) => changeMembers(call, params.partner, body),
    }),
    defineRoute({
      method: 'GET',
      path: '/admin/cohorts',
      permission: 'admin',
      ability: 'segments.read',
      errors: 'standard',
      summary: 'List the cohorts of partners with their sizes.',
      query: WorkspaceQuery,
      reply: { 200: CohortsReply },
      handle: async (call, request) => readCohorts(call, await selectedId(call, request)),
    }),
  ]
}
