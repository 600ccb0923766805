import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate } from '@tanstack/react-router'
import { ListTodo, ScrollText, Users } from 'lucide-react'
import { root } from './api/call.ts'
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

/** The screens of the rail, from the top. */
const screens: readonly ScreenEntry[] = [people, apiLog, work]

const rootRoute = createRootRoute({ component: () => <Shell screens={screens} />, notFoundComponent: UnknownPage })
const firstRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: FirstPage })
const workspaceRoute = createRoute({ getParentRoute: () => rootRoute, path: '/w/$workspace' })
const workspaceFirstRoute = createRoute({ getParentRoute: () => workspaceRoute, path: '/', component: FirstPage })
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

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    firstRoute,
    workspaceRoute.addChildren([
      workspaceFirstRoute,
      peopleRoute,
      personRoute,
      apiLogRoute,
      apiRequestRoute,
      workRoute,
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

/** Leads to the first screen that the viewer may see. */
function FirstPage() {
  const { workspace, may } = useViewer()
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
