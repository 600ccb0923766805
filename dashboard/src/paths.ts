/** Every link of the dashboard, as a path below `/dashboard`. */
export const paths = {
  workspace: (workspace: string) => `/w/${encodeURIComponent(workspace)}`,
  welcome: (workspace: string) => `${paths.workspace(workspace)}/welcome`,
  overview: (workspace: string, query: { readonly hours?: string } = {}) =>
    `${paths.workspace(workspace)}/overview${queryText(query)}`,
  people: (workspace: string, query: { readonly q?: string } = {}) =>
    `${paths.workspace(workspace)}/people${queryText(query)}`,
  person: (workspace: string, id: string, query: { readonly panel?: string } = {}) =>
    `${paths.workspace(workspace)}/people/${encodeURIComponent(id)}${queryText(query)}`,
  segments: (workspace: string) => `${paths.workspace(workspace)}/segments`,
  /** Not below the list: there `new` is the id of a segment. */
  segmentNew: (workspace: string) => `${paths.workspace(workspace)}/new-segment`,
  segmentEdit: (workspace: string, id: string) => `${paths.segment(workspace, id)}/edit`,
  segment: (workspace: string, id: string) => `${paths.segments(workspace)}/${encodeURIComponent(id)}`,
  groups: (workspace: string) => `${paths.workspace(workspace)}/groups`,
  group: (workspace: string, id: string) => `${paths.groups(workspace)}/${encodeURIComponent(id)}`,
  forms: (workspace: string) => `${paths.workspace(workspace)}/forms`,
  form: (workspace: string, id: string) => `${paths.forms(workspace)}/${encodeURIComponent(id)}`,
  canvases: (workspace: string) => `${paths.workspace(workspace)}/canvases`,
  canvas: (workspace: string, id: string) => `${paths.canvases(workspace)}/${encodeURIComponent(id)}`,
  canvasNew: (workspace: string) => `${paths.canvases(workspace)}/new`,
  canvasEdit: (workspace: string, id: string) => `${paths.canvas(workspace, id)}/edit`,
  campaigns: (workspace: string) => `${paths.workspace(workspace)}/campaigns`,
  campaign: (workspace: string, id: string) => `${paths.campaigns(workspace)}/${encodeURIComponent(id)}`,
  campaignEdit: (workspace: string, id: string) => `${paths.campaign(workspace, id)}/edit`,
  /** How one person went through a canvas or a campaign. */
  run: (flow: string, entry: string) => `${flow}/runs/${encodeURIComponent(entry)}`,
  templates: (workspace: string) => `${paths.workspace(workspace)}/templates`,
  template: (workspace: string, id: string) => `${paths.templates(workspace)}/${encodeURIComponent(id)}`,
  blocks: (workspace: string) => `${paths.workspace(workspace)}/blocks`,
  block: (workspace: string, id: string) => `${paths.blocks(workspace)}/${encodeURIComponent(id)}`,
  catalogs: (workspace: string) => `${paths.workspace(workspace)}/catalogs`,
  catalog: (workspace: string, id: string, query: { readonly import?: string } = {}) =>
    `${paths.catalogs(workspace)}/${encodeURIComponent(id)}${queryText(query)}`,
  apiLog: (workspace: string, query: { readonly status?: string } = {}) =>
    `${paths.workspace(workspace)}/api${queryText(query)}`,
  apiRequest: (workspace: string, id: string) => `${paths.workspace(workspace)}/api/${encodeURIComponent(id)}`,
  work: (workspace: string, query: { readonly request_id?: string } = {}) =>
    `${paths.workspace(workspace)}/work${queryText(query)}`,
  keys: (workspace: string) => `${paths.workspace(workspace)}/keys`,
  webhooks: (workspace: string) => `${paths.workspace(workspace)}/webhooks`,
  sends: (workspace: string) => `${paths.workspace(workspace)}/sends`,
  send: (workspace: string, id: string) => `${paths.workspace(workspace)}/sends/${encodeURIComponent(id)}`,
  inbox: (workspace: string) => `${paths.workspace(workspace)}/inbox`,
  mail: (workspace: string, id: string) => `${paths.workspace(workspace)}/inbox/${encodeURIComponent(id)}`,
  messages: (workspace: string, query: Readonly<Record<string, string>> = {}) =>
    `${paths.workspace(workspace)}/messages${queryText(query)}`,
  message: (workspace: string, id: string) => `${paths.workspace(workspace)}/messages/${encodeURIComponent(id)}`,
  suppressions: (workspace: string) => `${paths.workspace(workspace)}/suppressions`,
  settings: (workspace: string, query: { readonly tab?: string } = {}) =>
    `${paths.workspace(workspace)}/settings${queryText(query)}`,
  accounts: (query: Readonly<Record<string, string | undefined>> = {}) => `/company/accounts${queryText(query)}`,
  account: (id: string) => `/company/accounts/${encodeURIComponent(id)}`,
  accountAccess: (id: string) => `${paths.account(id)}/access`,
  sessions: (query: { readonly user_name?: string } = {}) => `/company/sessions${queryText(query)}`,
  scim: () => '/company/scim',
  access: (workspace: string, query: { readonly tab?: string } = {}) =>
    `${paths.workspace(workspace)}/access${queryText(query)}`,
  role: (workspace: string, id: string) => `${paths.access(workspace)}/roles/${encodeURIComponent(id)}`,
  permissionSet: (workspace: string, id: string) =>
    `${paths.access(workspace)}/permission_sets/${encodeURIComponent(id)}`,
  audit: (workspace: string, query: { readonly target?: string; readonly actor?: string } = {}) =>
    `${paths.workspace(workspace)}/audit${queryText(query)}`,
  auditEntry: (workspace: string, id: string) => `${paths.workspace(workspace)}/audit/${encodeURIComponent(id)}`,
} as const

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
