import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { type PersonServices, readPerson } from './read-person.ts'
import { PersonQuery, personReply, SearchQuery, SearchReply } from './schema.ts'
import { searchPeople } from './search-people.ts'

const admin = { permission: 'admin', errors: 'standard', method: 'GET', ability: 'people.read' } as const

/** Routes for administrators that find people and show one. */
export function peopleSearchRoutes(services: PersonServices): Route[] {
  return [
    defineRoute({
      ...admin,
      path: '/admin/people/search',
      summary: 'Find people by an identifier, or list everybody, newest first.',
      query: SearchQuery,
      reply: { 200: SearchReply },
      handle: async (call, request) => searchPeople(call, await selectedId(call, request), request.query, services),
    }),
    defineTagged({
      ...admin,
      path: '/admin/people/{id}',
      summary: 'Read everything that is kept about one person.',
      query: PersonQuery,
      refusals: { 404: 'There is no person with this id.' },
      reply: { 200: personReply(services.serviceName) },
      handle: async (call, request) => readPerson(call, await selectedId(call, request), request.params.id!, services),
    }),
  ]
}
