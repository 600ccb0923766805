import { type Ability, abilities, scopeOf } from '../../base/http/abilities.ts'
import type { Declared } from './declared.ts'
import type { PermissionLevel } from './permission-names.ts'
import type { Permissions } from './permissions.ts'

const content = ['canvases', 'campaigns', 'segments', 'content_blocks', 'email_templates', 'catalogs'] as const
const flows = ['canvases', 'campaigns'] as const

type Nouns<Verb extends string> = Ability extends infer A ? (A extends `${infer Noun}.${Verb}` ? Noun : never) : never

function reading(...nouns: readonly Nouns<'read'>[]): Ability[] {
  return nouns.map((noun) => `${noun}.read` as const)
}
function editing(...nouns: readonly (Nouns<'read'> & Nouns<'edit'>)[]): Ability[] {
  return nouns.flatMap((noun) => [`${noun}.read`, `${noun}.edit`] as const)
}
function ending(...nouns: readonly (Nouns<'read'> & Nouns<'end'> & Nouns<'edit'>)[]): Ability[] {
  return nouns.flatMap((noun) => [`${noun}.read`, `${noun}.end`] as const)
}
function launching(...nouns: readonly Nouns<'launch'>[]): Ability[] {
  return nouns.flatMap((noun) => [`${noun}.read`, `${noun}.launch`] as const)
}
function everything(...nouns: readonly (Nouns<'read'> & Nouns<'end'> & Nouns<'edit'>)[]): Ability[] {
  return [...editing(...nouns), ...ending(...nouns)]
}

const ofCompany = abilities.filter((ability) => scopeOf(ability) !== 'session')
const ofWorkspace = abilities.filter((ability) => scopeOf(ability) === 'workspace')

type Table = Readonly<Record<string, readonly Ability[]>>

/** The abilities of company permissions, which hold in every workspace. */
const company: Table = {
  admin: ofCompany,
  manage_company_settings: ['workspaces.read', 'workspace.edit', 'audit.read', ...editing('settings')],
  add_remove_app_groups: ['workspaces.read', 'workspaces.create'],
}

/** The abilities of workspace permissions. A name that is not listed gives none, because Easel does not have this feature. */
const workspace: Table = {
  admin: ofWorkspace,
  basic_access: reading(...content, 'subscription_groups', 'sign_up_forms', 'apps', 'dispatches', 'settings', 'usage'),
  approve_deny_campaigns: reading(...flows, 'dispatches'),
  send_campaigns_canvases: [
    ...everything(...flows),
    ...launching(...flows),
    'dispatches.read',
    'dispatches.act',
    'messages.resend',
    'messages.test',
  ],
  edit_segments: everything('segments'),
  export_user_data: ['people.export', 'feed.read'],
  view_user_profile: ['people.read', 'messages.read', 'suppressions.read', 'work.read'],
  import_update_user_data: ['people.import', ...editing('suppressions')],
  view_usage_data: reading('usage', 'dispatches'),
  dev_console: [...everything('api_keys'), ...reading('apps', 'credentials', 'work'), 'work.act'],
  view_event_user_log: reading('requests'),
  launch_content_blocks: launching('content_blocks'),
  manage_external_integrations: everything('credentials', 'webhooks'),
  manage_apps: everything('apps'),
  manage_teams: everything('teams'),
  manage_email_settings: [...everything('dkim_keys'), ...reading('settings', 'credentials')],
  manage_subscription_groups: everything('subscription_groups', 'sign_up_forms'),
  manage_catalogs_dashboard_permission: everything('catalogs'),

  view_campaigns: reading('campaigns', 'dispatches'),
  edit_campaigns: [...editing('campaigns'), 'messages.test'],
  archive_campaigns: ending('campaigns'),
  launch_campaigns: [...launching('campaigns'), 'dispatches.read', 'dispatches.act'],
  view_canvases: reading('canvases', 'dispatches'),
  edit_canvases: [...editing('canvases'), 'messages.test'],
  archive_canvases: ending('canvases'),
  launch_canvases: [...launching('canvases'), 'dispatches.read', 'dispatches.act'],
  view_content_blocks: reading('content_blocks'),
  edit_content_blocks: [...editing('content_blocks'), 'messages.test'],
  archive_content_blocks: ending('content_blocks'),
  view_segments: reading('segments'),
  archive_segments: ending('segments'),
  view_email_templates: reading('email_templates'),
  edit_email_templates: [...editing('email_templates'), 'messages.test'],
  archive_email_templates: ending('email_templates'),
  view_teams: reading('teams'),
  edit_teams: editing('teams'),
  archive_teams: ending('teams'),
  view_catalogs: reading('catalogs'),
  edit_catalogs: editing('catalogs'),
  delete_catalogs: ending('catalogs'),
  view_api_keys: reading('api_keys'),
  edit_api_keys: everything('api_keys'),
  view_app_settings: reading('apps'),
  edit_app_settings: everything('apps'),
  view_email_settings: reading('settings', 'dkim_keys'),
  edit_email_settings: [...everything('dkim_keys'), ...reading('settings')],
  view_preference_centers: reading('subscription_groups'),
  view_frequency_caps: reading('settings'),
  view_global_control_group: reading('settings'),
  view_message_activity_log: reading('messages'),
  view_user_merge_records: reading('work'),
  import_users: ['people.import'],
  edit_user_data: ['people.edit', ...editing('suppressions')],
  merge_duplicate_users: ['people.merge'],
  edit_technology_partners: everything('credentials', 'webhooks'),
}

/** No object in Easel belongs to a team, so team permissions give no abilities. */
const team: Table = {}

const tables: Readonly<Record<PermissionLevel, Table>> = { company, workspace, team }

/** Abilities that show personal data. In a workspace, they also need the permission `view_pii`. */
const personalData: ReadonlySet<Ability> = new Set([
  'people.read',
  'people.edit',
  'people.merge',
  'people.export',
  'messages.read',
  'suppressions.read',
  'work.read',
  'requests.read',
  'feed.read',
  // A webhook sends personal data to the program at its URL.
  'webhooks.edit',
])
const seesPersonalData: ReadonlySet<string> = new Set(['view_pii', 'admin'])

/** Whether an ability shows personal data, so that it needs `view_pii` in a workspace. */
export function needsViewPii(ability: Ability): boolean {
  return personalData.has(ability)
}

/** Returns the abilities that permissions give at a level. All admin routes depend on these tables. */
export function abilitiesOf(names: readonly string[], level: PermissionLevel): ReadonlySet<Ability> {
  const table = tables[level]
  const given = new Set(names.flatMap((name) => (Object.hasOwn(table, name) ? table[name]! : [])))
  if (level === 'company' || names.some((name) => seesPersonalData.has(name))) return given
  return given.difference(personalData)
}

/** The abilities of an account. */
export type Grants = {
  readonly company: ReadonlySet<Ability>
  /** By `workspace_id`, for the workspaces in which the account has a permission, even one that gives no ability. */
  readonly workspaces: ReadonlyMap<number, ReadonlySet<Ability>>
}

/** Computes the abilities of permissions. Roles and permission sets have their current permissions. */
export function grantsOf({ company: names, roles, workspaces }: Permissions, declared: Declared): Grants {
  const held = declared.workspaces.flatMap((each) => {
    const own = workspaces.find(({ id }) => id === each.id)
    const ofRoles = each.roles.filter(({ id }) => roles.includes(id))
    if (own === undefined && ofRoles.length === 0) return []
    const ofSets = each.sets.filter(({ id }) => own?.sets.includes(id))
    const all = [...(own?.permissions ?? []), ...[...ofRoles, ...ofSets].flatMap(({ permissions }) => permissions)]
    return [[each.workspace_id, abilitiesOf(all, 'workspace')] as const]
  })
  return { company: abilitiesOf(names, 'company'), workspaces: new Map(held) }
}

/** `workspace_id` is undefined for a workspace that does not exist; only abilities for every workspace count there. */
export function can(
  { company: everywhere, workspaces }: Grants,
  ability: Ability,
  workspace_id: number | undefined,
): boolean {
  const scope = scopeOf(ability)
  if (scope === 'session' || everywhere.has(ability)) return true
  if (scope === 'company' || workspace_id === undefined) return false
  return workspaces.get(workspace_id)?.has(ability) ?? false
}
