import Type from 'typebox'
import { Failure } from '../../base/errors.ts'
import { defineRoute, type Method, type Route } from '../../base/http/route.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { resourceType, resourceTypes, schema, schemas, serviceProvider } from './discovery.ts'
import { groupRoutes } from './group-routes.ts'
import { listUsers, searchUsers } from './list-users.ts'
import { patchUser } from './patch-user.ts'
import { readUserById } from './read-user.ts'
import { replaceUser } from './replace-user.ts'
import type { ScimServices } from './reply.ts'
import { anyList, listQuery, newUser, patch, projectionQuery, searchBody, user, userList, wholeUser } from './shapes.ts'

const root = '/scim/v2'
const scim = { permission: 'scim', errors: 'scim', limit: 'scim' } as const
const changed = { 412: 'The account has changed: its version is not that of `If-Match`.' }

/** Provisioning of accounts by identity providers (specification 4.10, RFC 7644). */
export function scimRoutes(services: ScimServices): Route[] {
  return [
    ...userRoutes(services),
    ...singleUserRoutes(services),
    ...groupRoutes(services),
    ...discoveryRoutes(services),
    ...notOfferedRoutes,
  ]
}

function userRoutes(services: ScimServices): Route[] {
  const searching = {
    ...scim,
    method: 'POST',
    body: searchBody,
    reply: { 200: userList },
    handle: (call, request) => searchUsers(call, request, services),
  } as const satisfies Partial<Route>
  return [
    defineRoute({
      ...scim,
      method: 'POST',
      path: `${root}/Users`,
      summary: 'Create an account.',
      query: projectionQuery,
      body: newUser,
      reply: { 201: user },
      refusals: { 409: 'An account has this `userName`.' },
      handle: (call, request) => createUser(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Users`,
      summary: 'List accounts or search them.',
      query: listQuery,
      reply: { 200: userList },
      handle: (call, request) => listUsers(call, request, services),
    }),
    defineRoute({ ...searching, path: `${root}/Users/.search`, summary: 'Search accounts with a request body.' }),
    defineRoute({ ...searching, path: `${root}/.search`, summary: 'Search all resources with a request body.' }),
  ]
}

function singleUserRoutes(services: ScimServices): Route[] {
  return [
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Users/{id}`,
      summary: 'Read an account.',
      query: projectionQuery,
      reply: { 200: user },
      refusals: { 304: 'The version of the account is that of `If-None-Match`; no body.' },
      handle: (call, request) => readUserById(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'PUT',
      path: `${root}/Users/{id}`,
      summary: 'Replace an account.',
      query: projectionQuery,
      body: wholeUser,
      reply: { 200: user },
      refusals: changed,
      handle: (call, request) => replaceUser(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'PATCH',
      path: `${root}/Users/{id}`,
      summary: 'Change attributes of an account.',
      query: projectionQuery,
      body: patch,
      reply: { 200: user },
      refusals: changed,
      handle: (call, request) => patchUser(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'DELETE',
      path: `${root}/Users/{id}`,
      summary: 'Delete an account.',
      reply: { 204: null },
      refusals: changed,
      handle: (call, request) => deleteUser(call, request, services),
    }),
  ]
}

function discoveryRoutes(services: ScimServices): Route[] {
  const Any = Type.Object({})
  return [
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/ServiceProviderConfig`,
      summary: 'Read the SCIM features of this service.',
      reply: { 200: Any },
      handle: async (_call, { query }) => serviceProvider(query, services),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/ResourceTypes`,
      summary: 'List the resource types.',
      reply: { 200: anyList },
      handle: async (_call, { query }) => resourceTypes(query, services),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/ResourceTypes/{id}`,
      summary: 'Read a resource type.',
      reply: { 200: Any },
      handle: async (_call, { query, params }) => resourceType(params.id!, query, services),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Schemas`,
      summary: 'List the schemas, with the known departments and permissions.',
      reply: { 200: anyList },
      handle: (call, { query }) => schemas(call, query, services),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${root}/Schemas/{id}`,
      summary: 'Read a schema.',
      reply: { 200: Any },
      handle: (call, { query, params }) => schema(call, params.id!, query, services),
    }),
  ]
}

/** Endpoints of RFC 7644 that this service does not offer. */
const notOfferedRoutes = [
  notOffered('POST', 'Bulk', 'Bulk requests are not offered'),
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
    notOffered(method, 'Me', 'A SCIM token belongs to no user, so /Me is not offered'),
  ),
]

function notOffered(method: Method, name: string, detail: string): Route {
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
