import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isAbility } from '../../base/http/abilities.ts'
import { readSingle } from '../../base/http/query.ts'
import { defineRoute, type Query, type Route } from '../../base/http/route.ts'
import { listAdministrators } from '../accounts/account-search-store.ts'
import { permissionNames } from '../permissions/permission-names.ts'
import { allowedBy, permissionsInWords, permissionsThatGive, phraseOf } from '../permissions/permission-words.ts'
import {
  GiversQuery,
  GiversReply,
  giversMax,
  PermissionsReply,
  TogetherQuery,
  TogetherReply,
  togetherMax,
} from './schema.ts'

const signedIn = { permission: 'admin', ability: 'session.read', errors: 'standard', method: 'GET' } as const

/** What permissions mean, and who can give them: for every account that is signed in. */
export const permissionRoutes: readonly Route[] = [
  defineRoute({
    ...signedIn,
    path: '/admin/permissions',
    summary: 'List all permissions with what each allows, in plain words.',
    reply: { 200: PermissionsReply },
    handle: async () => ({
      company: permissionsInWords('company'),
      workspace: permissionsInWords('workspace'),
      team: permissionNames.team,
    }),
  }),
  defineRoute({
    ...signedIn,
    path: '/admin/permissions/together',
    summary: 'Say in plain words what some permissions allow together.',
    query: TogetherQuery,
    reply: { 200: TogetherReply },
    handle: async (_call, { query }) => ({ allows: readTogether(query) }),
  }),
  defineRoute({
    ...signedIn,
    path: '/admin/permissions/givers',
    summary: 'Say who can give an ability that one lacks, by their names alone.',
    query: GiversQuery,
    reply: { 200: GiversReply },
    handle: (call, { query }) => readGivers(call, query),
  }),
]

function readTogether(query: Query): string[] {
  const names = (readSingle(query, 'permissions') ?? '').split(',').map((name) => name.trim())
  if (names.length > togetherMax) throw invalid(`'permissions' may have at most ${togetherMax} names`)
  const level = readSingle(query, 'level') ?? 'workspace'
  if (level !== 'workspace' && level !== 'company') throw invalid("'level' must be workspace or company")
  return allowedBy(names, level)
}

/** Only company administrators can give permissions. Their names are no secret among colleagues, their addresses are not told. */
async function readGivers({ db }: Call, query: Query): Promise<object> {
  const ability = readSingle(query, 'ability')
  if (!isAbility(ability)) throw invalid("'ability' must be one that a refusal names, such as canvases.launch")
  const found = await listAdministrators(db, giversMax + 1)
  return {
    ability,
    allows: phraseOf(ability),
    permissions: permissionsThatGive(ability, 'workspace'),
    givers: found.slice(0, giversMax).map(({ display_name, given_name, family_name }) => ({
      name: display_name ?? ([given_name, family_name].filter((name) => name !== '').join(' ') || 'An administrator'),
    })),
    more: found.length > giversMax,
  }
}
