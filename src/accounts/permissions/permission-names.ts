/** The scope of a permission: all workspaces, one workspace, or one team of a workspace. */
export type PermissionLevel = 'company' | 'workspace' | 'team'

const company = ['admin', 'manage_company_settings', 'add_remove_app_groups'] as const

const team = [
  'admin',
  'basic_access',
  'approve_deny_campaigns',
  'send_campaigns_canvases',
  'publish_cards',
  'edit_segments',
  'export_user_data',
  'view_user_profile',
  'manage_dashboard_users',
  'manage_media_library',
] as const

const workspace = [
  ...team,
  'view_pii',
  'view_usage_data',
  'import_update_user_data',
  'view_billing_details',
  'dev_console',
  'launch_content_blocks',
  'manage_external_integrations',
  'manage_apps',
  'manage_teams',
  'manage_events_attributes_purchases',
  'manage_tags',
  'manage_email_settings',
  'manage_subscription_groups',
  'manage_approval_settings',
  'manage_catalogs_dashboard_permission',
] as const

/** The newer permission names are `<verb>_<object>`; this lists the verbs of each object. */
const verbsByObject: Readonly<Record<string, readonly string[]>> = {
  campaigns: ['view', 'edit', 'archive', 'launch'],
  canvases: ['view', 'edit', 'archive', 'launch'],
  frequency_caps: ['view', 'edit'],
  message_prioritization: ['view', 'edit'],
  content_blocks: ['view', 'edit', 'archive', 'launch'],
  feature_flags: ['view', 'edit', 'archive'],
  segments: ['view', 'edit', 'archive'],
  iam_templates: ['view', 'edit', 'archive'],
  email_templates: ['view', 'edit', 'archive'],
  webhook_templates: ['view', 'edit', 'archive'],
  locations: ['view', 'edit', 'archive'],
  teams: ['view', 'edit', 'archive'],
  placements: ['view', 'edit', 'archive'],
  global_control_group: ['view', 'edit'],
  link_templates: ['view', 'edit'],
  preference_centers: ['view', 'edit'],
  api_keys: ['view', 'edit'],
  api_usage_alerts: ['view', 'edit'],
  sdk_debugger: ['view', 'edit'],
  app_settings: ['view', 'edit'],
  push_settings: ['view', 'edit'],
  email_settings: ['view', 'edit'],
  promotion_codes: ['view', 'edit', 'export'],
  media_library_assets: ['view', 'edit'],
  media_library_asset: ['delete'],
  reports: ['view', 'create', 'edit'],
  banner_templates: ['view'],
  multi_language_settings: ['view'],
  message_activity_log: ['view'],
  event_user_log: ['view'],
  api_identifiers: ['view'],
  api_usage_dashboard: ['view'],
  api_limits: ['view'],
  user_merge_records: ['view'],
  whatsapp_settings: ['view'],
  decisioning_studio_agents: ['view'],
  decisioning_studio_audience: ['view'],
  decisioning_studio_conversion_event: ['view'],
  decisioning_studio_guardrails: ['view'],
  internal_user_groups: ['view', 'edit', 'delete'],
  custom_attributes: ['view', 'edit', 'blocklist', 'delete', 'export'],
  custom_events: ['view', 'edit', 'blocklist', 'delete', 'export'],
  products: ['view', 'edit', 'blocklist'],
  tags: ['view', 'edit', 'delete'],
  catalogs: ['view', 'edit', 'export', 'delete'],
}

const fixed = [
  'use_operator',
  'edit_dashboard_users',
  'view_import_users',
  'import_users',
  'edit_user_data',
  'merge_duplicate_users',
  'edit_cloud_data_ingestion',
  'edit_custom_event_property_segmentation',
  'edit_purchase_property_segmentation',
  'edit_technology_partners',
] as const

const granular = [
  ...Object.entries(verbsByObject).flatMap(([object, verbs]) => verbs.map((verb) => `${verb}_${object}`)),
  ...fixed,
]

/** All permission names by level: the two tables of contract 4.10, and the `canonicalValues` of `/Schemas`. */
export const permissionNames: Readonly<Record<PermissionLevel, readonly string[]>> = {
  company,
  // Some names are in both tables.
  workspace: [...new Set([...workspace, ...granular])],
  team: [...new Set([...team, ...granular])],
}

const known: Readonly<Record<PermissionLevel, ReadonlySet<string>>> = {
  company: new Set(permissionNames.company),
  workspace: new Set(permissionNames.workspace),
  team: new Set(permissionNames.team),
}

export function isPermissionName(level: PermissionLevel, name: string): boolean {
  return known[level].has(name)
}
