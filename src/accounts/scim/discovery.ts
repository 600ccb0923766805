import type { Call } from '../../base/call.ts'
import { forbidden, notFound } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import type { Declared, DeclaredName } from '../permissions/declared.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { permissionNames } from '../permissions/permission-names.ts'
import { listRoles } from '../permissions/role-names.ts'
import { listReply, type ScimServices } from './reply.ts'
import { enterpriseSchema, groupSchema, type NameList, userSchema } from './schema.ts'
import { schemaDocuments } from './schema-documents.ts'
import { resourcesMax } from './search-request.ts'
import { scimBase } from './user.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0'

type Resource = { readonly id: string }

/** Returns the features of this service: `GET /scim/v2/ServiceProviderConfig` (RFC 7643, section 5). */
export function serviceProvider(query: Query, { publicUrl }: ScimServices): object {
  refuseFilter(query)
  return {
    schemas: [`${core}:ServiceProviderConfig`],
    documentationUri: `${publicUrl}/docs`,
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: resourcesMax },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM token',
        description: 'A SCIM token as bearer token, with the X-Request-Origin of the token.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${scimBase(publicUrl)}/ServiceProviderConfig` },
  }
}

/** Lists the resource types: `GET /scim/v2/ResourceTypes` (RFC 7643, section 6). */
export function resourceTypes(query: Query, services: ScimServices): object {
  refuseFilter(query)
  return listReply(listResourceTypes(services))
}

/** Returns a resource type: `GET /scim/v2/ResourceTypes/{id}`. Throws 404. */
export function resourceType(id: string, query: Query, services: ScimServices): object {
  refuseFilter(query)
  return findResource(listResourceTypes(services), id, 'resource type')
}

/** Lists the schemas, with the departments and permissions of this installation: `GET /scim/v2/Schemas` (RFC 7643, section 7). */
export async function schemas(call: Call, query: Query, services: ScimServices): Promise<object> {
  refuseFilter(query)
  return listReply(listSchemas(await readDeclared(call.db), services))
}

/** Returns a schema: `GET /scim/v2/Schemas/{id}`. Throws 404. */
export async function schema(call: Call, id: string, query: Query, services: ScimServices): Promise<object> {
  refuseFilter(query)
  return findResource(listSchemas(await readDeclared(call.db), services), id, 'schema')
}

function listResourceTypes({ publicUrl }: ScimServices): Resource[] {
  return [
    {
      schemas: [`${core}:ResourceType`],
      id: 'User',
      name: 'User',
      endpoint: '/Users',
      description: 'An account of the dashboard',
      schema: userSchema,
      schemaExtensions: [{ schema: enterpriseSchema, required: false }],
      meta: { resourceType: 'ResourceType', location: `${scimBase(publicUrl)}/ResourceTypes/User` },
    } as Resource,
    {
      schemas: [`${core}:ResourceType`],
      id: 'Group',
      name: 'Group',
      endpoint: '/Groups',
      description: 'A role or a team',
      schema: groupSchema,
      meta: { resourceType: 'ResourceType', location: `${scimBase(publicUrl)}/ResourceTypes/Group` },
    } as Resource,
  ]
}

function listSchemas(declared: Declared, { publicUrl }: ScimServices): Resource[] {
  const { workspaces, departments } = declared
  const namesOf = (lists: readonly (readonly DeclaredName[])[]) => [
    ...new Set(lists.flatMap((list) => list.map(({ name }) => name))),
  ]
  const names: Record<NameList, readonly string[]> = {
    ...permissionNames,
    departments,
    workspaces: namesOf([workspaces]),
    roles: namesOf([listRoles(declared)]),
    teams: namesOf(workspaces.map(({ teams }) => teams)),
    sets: namesOf(workspaces.map(({ sets }) => sets)),
  }
  return schemaDocuments(names).map((document) => ({
    schemas: [`${core}:Schema`],
    ...document,
    meta: { resourceType: 'Schema', location: `${scimBase(publicUrl)}/Schemas/${document.id}` },
  }))
}

function findResource(resources: readonly Resource[], id: string, what: string): Resource {
  const found = resources.find((resource) => resource.id === id)
  if (found === undefined) throw notFound(`There is no such ${what}`)
  return found
}

/** A filter is refused here (RFC 7644, section 4). */
function refuseFilter(query: Query): void {
  if (query.filter !== undefined) throw forbidden('This endpoint does not support a filter')
}
