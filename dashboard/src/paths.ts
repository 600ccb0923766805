/** Every link of the dashboard, as a path below `/dashboard`. */
export const paths = {
  workspace: (workspace: string) => `/w/${encodeURIComponent(workspace)}`,
  welcome: (workspace: string) => `${paths.workspace(workspace)}/welcome`,
  people: (workspace: string, query: { readonly q?: string } = {}) =>
    `${paths.workspace(workspace)}/people${queryText(query)}`,
  person: (workspace: string, id: string, query: { readonly panel?: string } = {}) =>
    `${paths.workspace(workspace)}/people/${encodeURIComponent(id)}${queryText(query)}`,
  apiLog: (workspace: string) => `${paths.workspace(workspace)}/api`,
  apiRequest: (workspace: string, id: string) => `${paths.workspace(workspace)}/api/${encodeURIComponent(id)}`,
  work: (workspace: string, query: { readonly request_id?: string } = {}) =>
    `${paths.workspace(workspace)}/work${queryText(query)}`,
  keys: (workspace: string) => `${paths.workspace(workspace)}/keys`,
  sends: (workspace: string) => `${paths.workspace(workspace)}/sends`,
  send: (workspace: string, id: string) => `${paths.workspace(workspace)}/sends/${encodeURIComponent(id)}`,
  inbox: (workspace: string) => `${paths.workspace(workspace)}/inbox`,
  mail: (workspace: string, id: string) => `${paths.workspace(workspace)}/inbox/${encodeURIComponent(id)}`,
  messages: (workspace: string, query: Readonly<Record<string, string>> = {}) =>
    `${paths.workspace(workspace)}/messages${queryText(query)}`,
  message: (workspace: string, id: string) => `${paths.workspace(workspace)}/messages/${encodeURIComponent(id)}`,
  suppressions: (workspace: string) => `${paths.workspace(workspace)}/suppressions`,
  audit: (workspace: string) => `${paths.workspace(workspace)}/audit`,
  auditEntry: (workspace: string, id: string) => `${paths.workspace(workspace)}/audit/${encodeURIComponent(id)}`,
} as const

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
