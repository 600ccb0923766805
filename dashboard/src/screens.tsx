import { useQuery } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate } from '@tanstack/react-router'
import { root } from './api/call.ts'
import { newestPerson, reading } from './api/queries.ts'
import { NoPermission } from './frame/failure.tsx'
import type { ScreenEntry } from './frame/screen.ts'
import {
  access,
  accounts,
  apiLog,
  audit,
  blocks,
  campaigns,
  canvases,
  catalogs,
  forms,
  groups,
  inbox,
  keys,
  messages,
  overview,
  people,
  scim,
  segments,
  sends,
  sessions,
  settings,
  suppressions,
  templates,
  webhooks,
  work,
} from './frame/screen-entries.ts'
import { Shell } from './frame/shell.tsx'
import { useViewer } from './frame/viewer.tsx'
import { paths } from './paths.ts'
import { Empty } from './ui/states.tsx'

const segmentBuilder: ScreenEntry = { ...segments, label: 'the segment builder', ability: 'segments.edit' }
const canvasEditor: ScreenEntry = { ...canvases, label: 'the editor of canvases', ability: 'canvases.edit' }

/** The screens of the rail, from the top. */
const screens: readonly ScreenEntry[] = [
  ...[overview, people, segments, groups, forms, canvases, campaigns, templates, blocks, catalogs],
  ...[sends, messages, inbox, suppressions, apiLog, work, keys, webhooks, settings],
  ...[accounts, access, sessions, scim, audit],
]

const rootRoute = createRootRoute({ component: () => <Shell screens={screens} />, notFoundComponent: UnknownPage })
const firstRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: FirstPage })
const workspaceRoute = createRoute({ getParentRoute: () => rootRoute, path: '/w/$workspace' })
const companyRootRoute = createRoute({ getParentRoute: () => rootRoute, path: '/company' })
const workspaceFirstRoute = createRoute({ getParentRoute: () => workspaceRoute, path: '/', component: FirstPage })
const welcomeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/welcome/welcome-page.tsx'), 'WelcomePage'),
})

const screenRoutes = [
  screenRoute(
    overview,
    '/overview',
    lazyRouteComponent(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
  ),
  screenRoute(
    people,
    '/people',
    lazyRouteComponent(() => import('./pages/people/people-page.tsx'), 'PeoplePage'),
  ),
  screenRoute(
    people,
    '/people/$id',
    lazyRouteComponent(() => import('./pages/people/person-page.tsx'), 'PersonPage'),
  ),
  screenRoute(
    segments,
    '/segments',
    lazyRouteComponent(() => import('./pages/segments/segments-page.tsx'), 'SegmentsPage'),
  ),
  screenRoute(
    segmentBuilder,
    '/new-segment',
    lazyRouteComponent(() => import('./pages/segments/segment-new-page.tsx'), 'SegmentNewPage'),
  ),
  screenRoute(
    segmentBuilder,
    '/segments/$id/edit',
    lazyRouteComponent(() => import('./pages/segments/segment-edit-page.tsx'), 'SegmentEditPage'),
  ),
  screenRoute(
    segments,
    '/segments/$id',
    lazyRouteComponent(() => import('./pages/segments/segment-page.tsx'), 'SegmentPage'),
  ),
  screenRoute(
    groups,
    '/groups',
    lazyRouteComponent(() => import('./pages/groups/groups-page.tsx'), 'GroupsPage'),
  ),
  screenRoute(
    groups,
    '/groups/$id',
    lazyRouteComponent(() => import('./pages/groups/group-page.tsx'), 'GroupPage'),
  ),
  screenRoute(
    forms,
    '/forms',
    lazyRouteComponent(() => import('./pages/forms/forms-page.tsx'), 'FormsPage'),
  ),
  screenRoute(
    forms,
    '/forms/$id',
    lazyRouteComponent(() => import('./pages/forms/form-page.tsx'), 'FormPage'),
  ),
  screenRoute(
    canvases,
    '/canvases',
    lazyRouteComponent(() => import('./pages/flows/flows-page.tsx'), 'CanvasesPage'),
  ),
  screenRoute(
    canvasEditor,
    '/canvases/new',
    lazyRouteComponent(() => import('./pages/canvas-editor/canvas-new-page.tsx'), 'CanvasNewPage'),
  ),
  screenRoute(
    canvasEditor,
    '/canvases/$id/edit',
    lazyRouteComponent(() => import('./pages/canvas-editor/canvas-edit-page.tsx'), 'CanvasEditPage'),
  ),
  screenRoute(
    canvases,
    '/canvases/$id',
    lazyRouteComponent(() => import('./pages/flows/flow-page.tsx'), 'CanvasPage'),
  ),
  screenRoute(
    canvases,
    '/canvases/$id/runs/$entry',
    lazyRouteComponent(() => import('./pages/flows/run-page.tsx'), 'CanvasRunPage'),
  ),
  screenRoute(
    campaigns,
    '/campaigns',
    lazyRouteComponent(() => import('./pages/flows/flows-page.tsx'), 'CampaignsPage'),
  ),
  screenRoute(
    campaigns,
    '/campaigns/$id',
    lazyRouteComponent(() => import('./pages/flows/flow-page.tsx'), 'CampaignPage'),
  ),
  screenRoute(
    campaigns,
    '/campaigns/$id/edit',
    lazyRouteComponent(() => import('./pages/campaigns/campaign-edit-page.tsx'), 'CampaignEditPage'),
  ),
  screenRoute(
    campaigns,
    '/campaigns/$id/runs/$entry',
    lazyRouteComponent(() => import('./pages/flows/run-page.tsx'), 'CampaignRunPage'),
  ),
  screenRoute(
    templates,
    '/templates',
    lazyRouteComponent(() => import('./pages/templates/templates-page.tsx'), 'TemplatesPage'),
  ),
  screenRoute(
    templates,
    '/templates/$id',
    lazyRouteComponent(() => import('./pages/templates/template-page.tsx'), 'TemplatePage'),
  ),
  screenRoute(
    blocks,
    '/blocks',
    lazyRouteComponent(() => import('./pages/blocks/blocks-page.tsx'), 'BlocksPage'),
  ),
  screenRoute(
    blocks,
    '/blocks/$id',
    lazyRouteComponent(() => import('./pages/blocks/block-page.tsx'), 'BlockPage'),
  ),
  screenRoute(
    catalogs,
    '/catalogs',
    lazyRouteComponent(() => import('./pages/catalogs/catalogs-page.tsx'), 'CatalogsPage'),
  ),
  screenRoute(
    catalogs,
    '/catalogs/$id',
    lazyRouteComponent(() => import('./pages/catalogs/catalog-page.tsx'), 'CatalogPage'),
  ),
  screenRoute(
    apiLog,
    '/api',
    lazyRouteComponent(() => import('./pages/api-log/api-log-page.tsx'), 'ApiLogPage'),
  ),
  screenRoute(
    apiLog,
    '/api/$id',
    lazyRouteComponent(() => import('./pages/api-log/request-page.tsx'), 'RequestPage'),
  ),
  screenRoute(
    work,
    '/work',
    lazyRouteComponent(() => import('./pages/work/work-page.tsx'), 'WorkPage'),
  ),
  screenRoute(
    keys,
    '/keys',
    lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  ),
  screenRoute(
    webhooks,
    '/webhooks',
    lazyRouteComponent(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  ),
  screenRoute(
    sends,
    '/sends',
    lazyRouteComponent(() => import('./pages/sends/sends-page.tsx'), 'SendsPage'),
  ),
  screenRoute(
    { ...sends, ability: 'messages.read' },
    '/sends/$id',
    lazyRouteComponent(() => import('./pages/sends/send-page.tsx'), 'SendPage'),
  ),
  screenRoute(
    messages,
    '/messages',
    lazyRouteComponent(() => import('./pages/messages/messages-page.tsx'), 'MessagesPage'),
  ),
  screenRoute(
    messages,
    '/messages/$id',
    lazyRouteComponent(() => import('./pages/messages/message-page.tsx'), 'MessagePage'),
  ),
  screenRoute(
    inbox,
    '/inbox',
    lazyRouteComponent(() => import('./pages/inbox/inbox-page.tsx'), 'InboxPage'),
  ),
  screenRoute(
    inbox,
    '/inbox/$id',
    lazyRouteComponent(() => import('./pages/inbox/mail-page.tsx'), 'MailPage'),
  ),
  screenRoute(
    suppressions,
    '/suppressions',
    lazyRouteComponent(() => import('./pages/suppressions/suppressions-page.tsx'), 'SuppressionsPage'),
  ),
  screenRoute(
    settings,
    '/settings',
    lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
  ),
  screenRoute(
    access,
    '/access',
    lazyRouteComponent(() => import('./pages/access/access-page.tsx'), 'AccessPage'),
  ),
  screenRoute(
    access,
    '/access/roles/$id',
    lazyRouteComponent(() => import('./pages/access/bundle-page.tsx'), 'RolePage'),
  ),
  screenRoute(
    access,
    '/access/permission_sets/$id',
    lazyRouteComponent(() => import('./pages/access/bundle-page.tsx'), 'PermissionSetPage'),
  ),
  screenRoute(
    audit,
    '/audit',
    lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  ),
  screenRoute(
    audit,
    '/audit/$id',
    lazyRouteComponent(() => import('./pages/audit/audit-entry-page.tsx'), 'AuditEntryPage'),
  ),
]

const companyRoutes = [
  companyRoute(
    accounts,
    '/accounts',
    lazyRouteComponent(() => import('./pages/accounts/accounts-page.tsx'), 'AccountsPage'),
  ),
  companyRoute(
    accounts,
    '/accounts/$id',
    lazyRouteComponent(() => import('./pages/accounts/account-page.tsx'), 'AccountPage'),
  ),
  companyRoute(
    accounts,
    '/accounts/$id/access',
    lazyRouteComponent(() => import('./pages/accounts/account-access-page.tsx'), 'AccountAccessPage'),
  ),
  companyRoute(
    sessions,
    '/sessions',
    lazyRouteComponent(() => import('./pages/sessions/sessions-page.tsx'), 'SessionsPage'),
  ),
  companyRoute(
    scim,
    '/scim',
    lazyRouteComponent(() => import('./pages/scim/scim-page.tsx'), 'ScimPage'),
  ),
]

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    firstRoute,
    companyRootRoute.addChildren(companyRoutes),
    workspaceRoute.addChildren([workspaceFirstRoute, welcomeRoute, ...screenRoutes]),
  ]),
  basepath: `${root}dashboard`,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Values are texts: an external id of digits is no number.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: searchText,
})

function searchText(search: Record<string, unknown>): string {
  const given = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** A page of a workspace. It is shown to those who may see it, and says to others what it takes. */
function screenRoute<Path extends string>(entry: ScreenEntry, path: Path, Page: React.ComponentType) {
  return createRoute({ getParentRoute: () => workspaceRoute, path, component: screenPage(entry, Page) })
}

/** A page of the company. It is in no workspace. */
function companyRoute<Path extends string>(entry: ScreenEntry, path: Path, Page: React.ComponentType) {
  return createRoute({ getParentRoute: () => companyRootRoute, path, component: screenPage(entry, Page) })
}

function screenPage({ ability, label }: ScreenEntry, Page: React.ComponentType) {
  return function ScreenPage() {
    return useViewer().may(ability) ? <Page /> : <NoPermission what={label} ability={ability} />
  }
}

/** Leads to the first screen that the viewer may see, and in a workspace without people to the page that says how to begin. */
function FirstPage() {
  const { workspace, may } = useViewer()
  const mayLook = may(people.ability)
  const newest = useQuery({ ...reading(newestPerson(workspace.id)), enabled: mayLook })
  if (mayLook && newest.isPending) return null
  if (newest.data?.people.length === 0) return <Navigate to={paths.welcome(workspace.id)} replace />
  const first = screens.find(({ ability }) => may(ability))
  if (first) return <Navigate to={first.path(workspace.id)} replace />
  return (
    <Empty title="There is nothing here that you may see">
      An administrator of your company can give you permissions in this workspace.
    </Empty>
  )
}

function UnknownPage() {
  return <Empty title="There is no such page">Use the list of screens, or press Ctrl K to find something.</Empty>
}
