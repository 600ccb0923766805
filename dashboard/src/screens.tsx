import { useQuery } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate } from '@tanstack/react-router'
import { Ban, FileClock, Inbox, KeyRound, ListTodo, Mail, ScrollText, Send, Users } from 'lucide-react'
import { root } from './api/call.ts'
import { newestPerson, reading } from './api/queries.ts'
import { NoPermission } from './frame/failure.tsx'
import type { ScreenEntry } from './frame/screen.ts'
import { Shell } from './frame/shell.tsx'
import { useViewer } from './frame/viewer.tsx'
import { paths } from './paths.ts'
import { Empty } from './ui/states.tsx'

const people: ScreenEntry = {
  label: 'People',
  group: 'Who',
  icon: Users,
  path: paths.people,
  ability: 'people.read',
  letter: 'p',
}

const apiLog: ScreenEntry = {
  label: 'API log',
  group: 'Machine',
  icon: ScrollText,
  path: paths.apiLog,
  ability: 'requests.read',
  letter: 'a',
}

const work: ScreenEntry = {
  label: 'Work',
  group: 'Machine',
  icon: ListTodo,
  path: (workspace) => paths.work(workspace),
  ability: 'work.read',
  letter: 'w',
}

const keys: ScreenEntry = {
  label: 'Keys',
  group: 'Machine',
  icon: KeyRound,
  path: paths.keys,
  ability: 'api_keys.read',
  letter: 'k',
}

const sends: ScreenEntry = {
  label: 'Sends',
  group: 'Out',
  icon: Send,
  path: paths.sends,
  ability: 'dispatches.read',
  letter: 's',
}

const messages: ScreenEntry = {
  label: 'Messages',
  group: 'Out',
  icon: Mail,
  path: (workspace) => paths.messages(workspace),
  ability: 'messages.read',
  letter: 'm',
}

const inbox: ScreenEntry = {
  label: 'Inbox',
  group: 'Out',
  icon: Inbox,
  path: paths.inbox,
  ability: 'inbox.read',
  letter: 'i',
}

const suppressions: ScreenEntry = {
  label: 'Suppressions',
  group: 'Out',
  icon: Ban,
  path: paths.suppressions,
  ability: 'suppressions.read',
  letter: 'x',
}

const audit: ScreenEntry = {
  label: 'Audit',
  group: 'Company',
  icon: FileClock,
  path: paths.audit,
  ability: 'audit.read',
  letter: 'u',
}

/** The screens of the rail, from the top. */
const screens: readonly ScreenEntry[] = [people, sends, messages, inbox, suppressions, apiLog, work, keys, audit]

const rootRoute = createRootRoute({ component: () => <Shell screens={screens} />, notFoundComponent: UnknownPage })
const firstRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: FirstPage })
const workspaceRoute = createRoute({ getParentRoute: () => rootRoute, path: '/w/$workspace' })
const workspaceFirstRoute = createRoute({ getParentRoute: () => workspaceRoute, path: '/', component: FirstPage })
const welcomeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/welcome/welcome-page.tsx'), 'WelcomePage'),
})
const peopleRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/people',
  component: guarded(
    people,
    lazyRouteComponent(() => import('./pages/people/people-page.tsx'), 'PeoplePage'),
  ),
})
const personRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/people/$id',
  component: guarded(
    people,
    lazyRouteComponent(() => import('./pages/people/person-page.tsx'), 'PersonPage'),
  ),
})

const apiLogRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/api',
  component: guarded(
    apiLog,
    lazyRouteComponent(() => import('./pages/api-log/api-log-page.tsx'), 'ApiLogPage'),
  ),
})
const apiRequestRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/api/$id',
  component: guarded(
    apiLog,
    lazyRouteComponent(() => import('./pages/api-log/request-page.tsx'), 'RequestPage'),
  ),
})
const workRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/work',
  component: guarded(
    work,
    lazyRouteComponent(() => import('./pages/work/work-page.tsx'), 'WorkPage'),
  ),
})
const keysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/keys',
  component: guarded(
    keys,
    lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  ),
})
const sendsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/sends',
  component: guarded(
    sends,
    lazyRouteComponent(() => import('./pages/sends/sends-page.tsx'), 'SendsPage'),
  ),
})
const sendRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/sends/$id',
  component: guarded(
    { ...sends, ability: 'messages.read' },
    lazyRouteComponent(() => import('./pages/sends/send-page.tsx'), 'SendPage'),
  ),
})
const messagesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/messages',
  component: guarded(
    messages,
    lazyRouteComponent(() => import('./pages/messages/messages-page.tsx'), 'MessagesPage'),
  ),
})
const messageRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/messages/$id',
  component: guarded(
    messages,
    lazyRouteComponent(() => import('./pages/messages/message-page.tsx'), 'MessagePage'),
  ),
})
const inboxRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/inbox',
  component: guarded(
    inbox,
    lazyRouteComponent(() => import('./pages/inbox/inbox-page.tsx'), 'InboxPage'),
  ),
})
const mailRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/inbox/$id',
  component: guarded(
    inbox,
    lazyRouteComponent(() => import('./pages/inbox/mail-page.tsx'), 'MailPage'),
  ),
})
const suppressionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/suppressions',
  component: guarded(
    suppressions,
    lazyRouteComponent(() => import('./pages/suppressions/suppressions-page.tsx'), 'SuppressionsPage'),
  ),
})
const auditRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/audit',
  component: guarded(
    audit,
    lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  ),
})
const auditEntryRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/audit/$id',
  component: guarded(
    audit,
    lazyRouteComponent(() => import('./pages/audit/audit-entry-page.tsx'), 'AuditEntryPage'),
  ),
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    firstRoute,
    workspaceRoute.addChildren([
      workspaceFirstRoute,
      welcomeRoute,
      peopleRoute,
      personRoute,
      apiLogRoute,
      apiRequestRoute,
      workRoute,
      keysRoute,
      sendsRoute,
      sendRoute,
      messagesRoute,
      messageRoute,
      inboxRoute,
      mailRoute,
      suppressionsRoute,
      auditRoute,
      auditEntryRoute,
    ]),
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

/** Shows a page to those who may see it, and says to others what it takes. */
function guarded({ ability, label }: ScreenEntry, Page: React.ComponentType) {
  return function GuardedPage() {
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
