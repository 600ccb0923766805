import { forbidden, notFound } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import { type PermissionLevel, permissionNames } from '../permissions/permission-names.ts'
import { countMax } from './asked.ts'
import { type ScimParts, shownList } from './reply.ts'
import { enterpriseSchema, userSchema } from './schema.ts'
import { schemaDocuments } from './schemas.ts'
import { baseOf } from './user.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0'

type Resource = { readonly id: string }

/** `GET /scim/v2/ServiceProviderConfig`: what this service can do (RFC 7643, section 5). */
export function serviceProvider(query: Query, { publicUrl }: ScimParts): object {
  refuseFilter(query)
  return {
    schemas: [`${core}:ServiceProviderConfig`],
    documentationUri: `${publicUrl}/docs`,
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: countMax },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM token',
        description: 'A SCIM token as bearer token; X-Request-Origin as the token has it.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseOf(publicUrl)}/ServiceProviderConfig` },
  }
}

/** `GET /scim/v2/ResourceTypes` (RFC 7643, section 6). */
export function resourceTypes(query: Query, parts: ScimParts): object {
  refuseFilter(query)
  return shownList(typesOf(parts))
}

/** Throws 404. */
export function resourceType(id: string, query: Query, parts: ScimParts): object {
  refuseFilter(query)
  return oneOf(typesOf(parts), id, 'resource type')
}

/** `GET /scim/v2/Schemas` (RFC 7643, section 7), with the departments and permissions that are known here. */
export function schemas(query: Query, parts: ScimParts): object {
  refuseFilter(query)
  return shownList(schemasOf(parts))
}

/** Throws 404. */
export function schema(id: string, query: Query, parts: ScimParts): object {
  refuseFilter(query)
  return oneOf(schemasOf(parts), id, 'schema')
}

function typesOf({ publicUrl }: ScimParts): Resource[] {
  return [
    {
      schemas: [`${core}:ResourceType`],
      id: 'User',
      name: 'User',
      endpoint: '/Users',
      description: 'Somebody who may sign in to the dashboard',
      schema: userSchema,
      schemaExtensions: [{ schema: enterpriseSchema, required: false }],
      meta: { resourceType: 'ResourceType', location: `${baseOf(publicUrl)}/ResourceTypes/User` },
    } as Resource,
  ]
}

function schemasOf({ publicUrl, workspaces }: ScimParts): Resource[] {
  const names: Record<PermissionLevel | 'departments', readonly string[]> = {
    ...permissionNames,
    departments: workspaces.default().settings.departments,
  }
  return schemaDocuments(names).map((document) => ({
    schemas: [`${core}:Schema`],
    ...document,
    meta: { resourceType: 'Schema', location: `${baseOf(publicUrl)}/Schemas/${document.id}` },
  }))
}

function oneOf(resources: readonly Resource[], id: string, what: string): Resource {
  const found = resources.find((resource) => resource.id === id)
  if (found === undefined) throw notFound(`There is no such ${what}`)
  return found
}

/** RFC 7644, section 4: what the service can do is not searched. */
function refuseFilter(query: Query): void {
  if (query.filter !== undefined) throw forbidden('This is not filtered')
}
