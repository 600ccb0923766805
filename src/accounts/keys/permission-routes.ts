import Type from 'typebox'
import { type Permission, permissions } from '../../base/http/permissions.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { abilitiesForKey } from './key-abilities.ts'

const KeyPermission = Type.Object({
  permission: Type.String(),
  allows: Type.String({ description: 'What a key with it can do' }),
  may_give: Type.Boolean({ description: 'Whether the caller may give it to a key' }),
})

const KeyPermissionsReply = Type.Object({
  groups: Type.Array(Type.Object({ name: Type.String(), permissions: Type.Array(KeyPermission) })),
  may_give_all: Type.Boolean({ description: 'Whether the caller may give all of them, those of later releases too' }),
})

/** The names of groups, by the first part of their permissions. */
const groupNames: Readonly<Record<string, string>> = {
  users: 'People',
  sdk: 'Devices',
  email: 'E-mail addresses',
  sms: 'Phone numbers',
  subscription: 'Subscription groups',
  messages: 'Messages',
  sends: 'Messages',
  transactional: 'Messages',
  campaigns: 'Campaigns',
  canvas: 'Canvases',
  segments: 'Segments',
  templates: 'Templates and blocks',
  content_blocks: 'Templates and blocks',
  preference_center: 'Preference centers',
  media_library: 'Pictures and documents',
  partners: 'Cohorts',
  catalogs: 'Catalogs',
}

/** Returns the route that lists the permissions of keys, in the words of the endpoints that they open. */
export function keyPermissionRoutes(table: readonly Route[]): Route[] {
  const known = permissions.flatMap((permission) => {
    const opened = table.filter((route) => route.permission === permission)
    return opened.length === 0 ? [] : [{ permission, allows: sentencesOf(opened) }]
  })
  const groups = [...Map.groupBy(known, ({ permission }) => groupOf(permission))]
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: '/admin/key_permissions',
      ability: 'api_keys.read',
      summary: 'List the permissions that an API key can have, and what each allows.',
      query: WorkspaceQuery,
      reply: { 200: KeyPermissionsReply },
      async handle(_call, { may = () => true }) {
        const mayGive = (permission: string) => abilitiesForKey([permission]).every((ability) => may(ability))
        return {
          groups: groups.map(([name, list]) => ({
            name,
            permissions: list.map((one) => ({ ...one, may_give: mayGive(one.permission) })),
          })),
          may_give_all: mayGive('*'),
        }
      },
    }),
  ]
}

function groupOf(permission: Permission): string {
  const [first = ''] = permission.split('.')
  return groupNames[first] ?? first
}

function sentencesOf(routes: readonly Route[]): string {
  const sentences = routes.map(({ summary, method, path }) => (summary ?? `${method} ${path}`).replace(/\.?$/, '.'))
  return [...new Set(sentences)].join(' ')
}
