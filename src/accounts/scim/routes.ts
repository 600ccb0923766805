import Type from 'typebox'
import { Failure } from '../../base/errors.ts'
import { defineRoute, type Method, type Route } from '../../base/http/route.ts'
import { searchOf } from './asked.ts'
import { create } from './create.ts'
import { resourceType, resourceTypes, schema, schemas, serviceProvider } from './discovery.ts'
import { list, search } from './list.ts'
import { patchUser } from './patch-user.ts'
import { read } from './read.ts'
import { remove } from './remove.ts'
import { replace } from './replace.ts'
import { type ScimParts, shownList } from './reply.ts'
import { groupResource } from './schema.ts'
import { anyList, listQuery, newUser, patch, projectionQuery, searchBody, user, userList, wholeUser } from './shapes.ts'

const root = '/scim/v2'
const scim = { permission: 'scim', errors: 'scim', limit: 'scim' } as const

/** What identity providers ask and write (specification 4.10, RFC 7644). */
export function scimRoutes(parts: ScimParts): Route[] {
  return [...userRoutes(parts), ...discoveryRoutes(parts), ...lacking]
}

function userRoutes(parts: ScimParts): Route[] {
  const searching = {
    ...scim,
    method: 'POST',
    body: searchBody,
    reply: { 200: userList },
    handle: (call, request) => search(call, request, parts),
  } as const satisfies Partial<Route>
  return [
    defineRoute({
      ...scim,
      method: 'POST',
      path: `${root}/Users`,
      summary: 'Make an account.',
      query: projectionQuery,
      body: newUser,
      reply: { 201: user },
      handle: (call, request) => create(call, request, parts),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Users`,
      summary: 'Search accounts, or list all.',
      query: listQuery,
      reply: { 200: userList },
      handle: (call, request) => list(call, request, parts),
    }),
    defineRoute({ ...searching, path: `${root}/Users/.search`, summary: 'Search accounts by a body.' }),
    defineRoute({ ...searching, path: `${root}/.search`, summary: 'Search everything by a body: accounts.' }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Users/{id}`,
      summary: 'Look up an account.',
      query: projectionQuery,
      reply: { 200: user },
      handle: (call, request) => read(call, request, parts),
    }),
    defineRoute({
      ...scim,
      method: 'PUT',
      path: `${root}/Users/{id}`,
      summary: 'Say an account anew.',
      query: projectionQuery,
      body: wholeUser,
      reply: { 200: user },
      handle: (call, request) => replace(call, request, parts),
    }),
    defineRoute({
      ...scim,
      method: 'PATCH',
      path: `${root}/Users/{id}`,
      summary: 'Change attributes of an account.',
      query: projectionQuery,
      body: patch,
      reply: { 200: user },
      handle: (call, request) => patchUser(call, request, parts),
    }),
    defineRoute({
      ...scim,
      method: 'DELETE',
      path: `${root}/Users/{id}`,
      summary: 'Delete an account for good.',
      reply: { 204: null },
      handle: remove,
    }),
  ]
}

function discoveryRoutes(parts: ScimParts): Route[] {
  const Any = Type.Object({})
  return [
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Groups`,
      summary: 'Groups: there are none, roles are no groups.',
      query: listQuery,
      reply: { 200: anyList },
      handle: async (_call, { query }) => shownList([], 0, searchOf(query, groupResource).startIndex),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/ServiceProviderConfig`,
      summary: 'What this service can do.',
      reply: { 200: Any },
      handle: async (_call, { query }) => serviceProvider(query, parts),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/ResourceTypes`,
      summary: 'What kinds of resources there are.',
      reply: { 200: anyList },
      handle: async (_call, { query }) => resourceTypes(query, parts),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/ResourceTypes/{id}`,
      summary: 'One kind of resources.',
      reply: { 200: Any },
      handle: async (_call, { query, params }) => resourceType(params.id!, query, parts),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Schemas`,
      summary: 'What attributes resources have, and which departments and permissions are known.',
      reply: { 200: anyList },
      handle: async (_call, { query }) => schemas(query, parts),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Schemas/{id}`,
      summary: 'One schema.',
      reply: { 200: Any },
      handle: async (_call, { query, params }) => schema(params.id!, query, parts),
    }),
  ]
}

/** What RFC 7644 knows and this service has not. */
const lacking = [
  lack('POST', 'Bulk', 'Bulk requests are not offered'),
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
    lack(method, 'Me', 'A SCIM token is nobody: there is no /Me'),
  ),
]

function lack(method: Method, name: string, detail: string): Route {
  return defineRoute({
    ...scim,
    method,
    path: `${root}/${name}`,
    summary: 'Not offered.',
    reply: { 501: null },
    handle: async () => {
      throw new Failure('notImplemented', detail)
    },
  })
}
