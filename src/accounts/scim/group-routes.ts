import Type from 'typebox'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { findGroups, readGroupById, searchGroups } from './list-groups.ts'
import type { ScimServices } from './reply.ts'
import { group, groupList, listQuery, newGroup, patch, projectionQuery, searchBody } from './shapes.ts'
import { createGroup, deleteGroup, patchGroup, replaceGroup } from './write-groups.ts'

const path = '/scim/v2/Groups'
const scim = { permission: 'scim', errors: 'scim', limit: 'scim' } as const
const nameTaken = { 409: 'A role or a team has this name.' }
const params = Type.Object({ id: Type.String({ description: '`role:<id>` or `team:<workspace>:<id>`.' }) })

/** Roles and teams as groups, for the group push of identity providers (RFC 7644). */
export function groupRoutes(services: ScimServices): Route[] {
  return [...readingRoutes(services), ...writingRoutes(services)]
}

function readingRoutes(services: ScimServices): Route[] {
  return [
    defineRoute({
      ...scim,
      method: 'GET',
      path,
      summary: 'List roles and teams as groups, or search them.',
      query: listQuery,
      reply: { 200: groupList },
      handle: (call, request) => findGroups(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'POST',
      path: `${path}/.search`,
      summary: 'Search roles and teams with a request body.',
      body: searchBody,
      reply: { 200: groupList },
      handle: (call, request) => searchGroups(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'Read a role or a team with its members.',
      params,
      query: projectionQuery,
      reply: { 200: group },
      handle: (call, request) => readGroupById(call, request, services),
    }),
  ]
}

function writingRoutes(services: ScimServices): Route[] {
  return [
    defineRoute({
      ...scim,
      method: 'POST',
      path,
      summary: 'Create a role without permissions in the default workspace.',
      query: projectionQuery,
      body: newGroup,
      reply: { 201: group },
      refusals: { 409: 'A role or a team has this name, or there are too many roles.' },
      handle: (call, request) => createGroup(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: 'Set the name and the members of a role or a team.',
      params,
      query: projectionQuery,
      body: newGroup,
      reply: { 200: group },
      refusals: nameTaken,
      handle: (call, request) => replaceGroup(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: 'Change the name and the members of a role or a team.',
      params,
      query: projectionQuery,
      body: patch,
      reply: { 200: group },
      refusals: nameTaken,
      handle: (call, request) => patchGroup(call, request, services),
    }),
    defineRoute({
      ...scim,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Take a role or a team from all accounts, and delete a role without permissions.',
      params,
      reply: { 204: null },
      handle: (call, request) => deleteGroup(call, request, services),
    }),
  ]
}
