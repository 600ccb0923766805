import { readNonEmpty } from '../../base/http/query.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { PlanQuery } from '../../workspace/settings/query-schema.ts'
import { isPlan, selected } from '../../workspace/settings/selected.ts'
import { readBackup } from './read-backup.ts'
import { restorePeople } from './restore-people.ts'
import { AfterPage, PeopleLines, PeoplePage, Restored } from './schema.ts'

const admin = { permission: 'admin', errors: 'standard' } as const

export function backupRoutes(): Route[] {
  const path = '/admin/people'
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'Read all people of a workspace with all their data, page by page.',
      ability: 'people.export',
      query: AfterPage,
      reply: { 200: PeoplePage },
      handle: (call, request) => readBackup(call, readNonEmpty(request.query, 'after'), selected(request)),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Import people into a workspace. Existing people do not change.',
      ability: 'people.import',
      query: PlanQuery,
      body: PeopleLines,
      reply: { 200: Restored },
      handle: (call, request) => restorePeople(call, request.body, isPlan(request), selected(request)),
    }),
  ]
}
