import { signedInRoutes } from './accounts/accounts/session-routes.ts'
import { keysSection } from './accounts/keys/config-section.ts'
import { type ScimTokenParts, scimTokenRoutes } from './accounts/keys/scim-token-routes.ts'
import { SessionReply } from './accounts/sign-in/schema.ts'
import { readSession, type SessionParts } from './accounts/sign-in/session.ts'
import {
  AfterPage,
  Applied,
  Applying,
  ClockMove,
  ClockReading,
  describedOf,
  FileShape,
  listOf,
  OfWorkspace,
  oneOf,
  PeopleLines,
  PeoplePage,
  partOf,
  Restored,
  SettingsReply,
  WorkspaceReply,
  WorkspacesReply,
} from './admin-schema.ts'
import type { ExportsListParts } from './audience/exports/list.ts'
import { exportListRoutes } from './audience/exports/routes.ts'
import { segmentPeopleRoutes } from './audience/segments/people-routes.ts'
import { invalid } from './base/errors.ts'
import { type Ability, isAbility } from './base/http/abilities.ts'
import { oneValue, readOne } from './base/http/query.ts'
import { defineRoute, type Request, type Route } from './base/http/route.ts'
import { configSections } from './config-sections.ts'
import type { PreviewParts } from './content/rendering/preview.ts'
import { previewRoutes } from './content/rendering/routes.ts'
import { flowPeopleRoutes } from './messaging/why/flow-people.ts'
import { mailRoutes } from './messaging/why/inbox-routes.ts'
import type { WhyParts } from './messaging/why/why.ts'
import { suppressionRoutes } from './people/addresses/suppression-routes.ts'
import type { SuppressionParts } from './people/addresses/suppressions.ts'
import { readPeople } from './people/backup/people.ts'
import { restorePeople } from './people/backup/restore.ts'
import { type ListParts, listWork } from './people/merge/list.ts'
import { WorkQuery, WorkReply } from './people/merge/work-schema.ts'
import { auditRoutes } from './workspace/audit/routes.ts'
import { clockMover, type RunDue, readClock } from './workspace/clock/move-clock.ts'
import type { ConfigSection } from './workspace/file/config-section.ts'
import {
  applyBody,
  createEntry,
  endEntry,
  getEntry,
  listEntries,
  planBody,
  updateEntry,
} from './workspace/file/entries.ts'
import {
  createWorkspace,
  readSettings,
  readWorkspaces,
  renameWorkspace,
  updateSettings,
} from './workspace/file/workspaces.ts'
import type { Workspaces } from './workspace/settings/cache.ts'
import { Head } from './workspace/settings/schema.ts'
import { selected, selectedWorkspace } from './workspace/settings/selected.ts'
import { SettingsShape } from './workspace/settings/settings.ts'

export type AdminParts = SessionParts &
  ListParts &
  PreviewParts &
  WhyParts &
  SuppressionParts &
  ScimTokenParts &
  ExportsListParts & { workspaces: Workspaces; runDue: RunDue }

/** What a write does before its answer goes out: this process's own copy of the configuration follows it. */
type Written = <T>(work: Promise<T>) => Promise<T>

const admin = { permission: 'admin', errors: 'standard' } as const
const ofWorkspace = { ...admin, query: OfWorkspace } as const

/** Everything under `/admin/`: whoever holds the admin token reads and writes what a workspace file can say, the clock and work. */
export function adminRoutes(parts: AdminParts): Route[] {
  const { workspaces, runDue } = parts
  const written: Written = async (work) => {
    const done = await work
    // It is written; when the database went away just now, the next poll sees it.
    await Promise.allSettled([workspaces.refresh()])
    return done
  }
  return [
    ...sessionRoutes(parts),
    ...clockRoutes(runDue),
    ...fileRoutes(written),
    ...workspaceRoutes(written),
    ...peopleRoutes(),
    ...configSections.flatMap((section) => sectionRoutes(section, written)),
    ...segmentPeopleRoutes(parts),
    ...flowPeopleRoutes(parts),
    ...suppressionRoutes(parts),
    ...previewRoutes(parts),
    ...mailRoutes(parts),
    ...exportListRoutes(parts),
    ...workRoutes(parts),
    ...auditRoutes,
    ...signedInRoutes,
    ...scimTokenRoutes(parts, written),
  ]
}

function sessionRoutes(parts: SessionParts): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/session',
      ability: 'session.read',
      summary: 'Who asks, and what they may do where.',
      reply: { 200: SessionReply },
      handle: (call, request) => readSession(call, request, parts),
    }),
  ]
}

function workRoutes(parts: ListParts): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/work',
      ability: 'work.read',
      summary: 'What became of accepted merges, deletions and identifications.',
      query: WorkQuery,
      reply: { 200: WorkReply },
      handle: async (call, request) => {
        const { workspace_id } = await selectedWorkspace(call, request)
        return listWork(call, request.query, workspace_id, parts)
      },
    }),
  ]
}

function clockRoutes(runDue: RunDue): Route[] {
  const path = '/admin/clock'
  const moveClock = clockMover(runDue)
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'What time it is here.',
      ability: 'clock.read',
      reply: { 200: ClockReading },
      handle: readClock,
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Move the virtual clock and do what falls due on the way.',
      ability: 'clock.move',
      body: ClockMove,
      reply: { 200: ClockReading },
      handle: (call, { body }) => moveClock(call, body),
    }),
  ]
}

function fileRoutes(written: Written): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'POST',
      path: '/admin/apply',
      ability: 'file.apply',
      summary: 'Make a workspace what a workspace file says.',
      query: Applying,
      body: FileShape,
      reply: { 200: Applied },
      handle: (call, request) => {
        const workspace = selected(request)
        return isPlan(request)
          ? planBody(call, request.body, workspace)
          : written(applyBody(call, request.body, workspace))
      },
    }),
  ]
}

function workspaceRoutes(written: Written): Route[] {
  const path = '/admin/workspace'
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'All workspaces.',
      ability: 'workspaces.read',
      reply: { 200: WorkspacesReply },
      handle: readWorkspaces,
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'A new workspace.',
      ability: 'workspaces.create',
      body: Head,
      reply: { 201: WorkspaceReply },
      handle: (call, { body }) => written(createWorkspace(call, body)),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'PATCH',
      path,
      summary: 'Give a workspace another name.',
      ability: 'workspace.edit',
      body: Head,
      reply: { 200: WorkspaceReply },
      handle: (call, request) => written(renameWorkspace(call, request.body, selected(request))),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'GET',
      path: '/admin/settings',
      summary: 'The settings in effect, and those that were set.',
      ability: 'settings.read',
      reply: { 200: SettingsReply },
      handle: (call, request) => readSettings(call, selected(request)),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'PATCH',
      path: '/admin/settings',
      summary: 'Set some settings; null takes one back to its default.',
      ability: 'settings.edit',
      body: SettingsShape,
      reply: { 200: SettingsReply },
      handle: (call, request) => written(updateSettings(call, request.body, selected(request))),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'DELETE',
      path: '/admin/settings/{name}',
      ability: 'settings.edit',
      summary: 'Take a setting back to its default.',
      reply: { 200: SettingsReply },
      handle: (call, request) => written(updateSettings(call, { [request.params.name!]: null }, selected(request))),
    }),
  ]
}

function peopleRoutes(): Route[] {
  const path = '/admin/people'
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'Everybody in a workspace with everything, page by page.',
      ability: 'people.export',
      query: AfterPage,
      reply: { 200: PeoplePage },
      handle: (call, request) => readPeople(call, readOne(request.query, 'after'), selected(request)),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Put people into a workspace as they were elsewhere; who is here already stays as they are.',
      ability: 'people.import',
      query: Applying,
      body: PeopleLines,
      reply: { 200: Restored },
      handle: (call, request) => restorePeople(call, request.body, isPlan(request), selected(request)),
    }),
  ]
}

function sectionRoutes(section: ConfigSection, written: Written): Route[] {
  const path = `/admin/${section.path}`
  const single = `${path}/{id}`
  const one = async (entry: Promise<Record<string, unknown>>) => ({ [section.one]: await entry })
  const unknown = { 404: `There is no ${section.one} with this id, or no such workspace.` }
  const routes = [
    defineRoute({
      ...ofWorkspace,
      method: 'GET',
      path,
      summary: `All ${section.name} of a workspace.`,
      ability: abilityOf(section, 'read'),
      reply: { 200: listOf(section) },
      handle: async (call, request) => ({ [section.path]: await listEntries(call, section, selected(request)) }),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'POST',
      path,
      summary: `One more of ${section.name}.`,
      ability: abilityOf(section, 'edit'),
      further: (request) => furtherOf(section, request),
      body: describedOf(section),
      reply: { 201: oneOf(section) },
      refuses: { 409: 'There is one with this id or name already.' },
      handle: (call, request) => one(written(createEntry(call, section, request.body, selected(request)))),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'GET',
      path: single,
      summary: `One of ${section.name}.`,
      ability: abilityOf(section, 'read'),
      reply: { 200: oneOf(section) },
      refuses: unknown,
      handle: (call, request) => one(getEntry(call, section, request.params.id!, selected(request))),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'DELETE',
      path: single,
      summary: section.endSummary,
      ability: abilityOf(section, 'end'),
      reply: { 204: null },
      refuses: { ...unknown, 409: 'It cannot be ended now; the message says why.' },
      handle: (call, request) =>
        written(endEntry(call, section, request.params.id!, selected(request))).then(() => undefined),
    }),
  ]
  if (section.name === keysSection.name) return routes
  const update = defineRoute({
    ...ofWorkspace,
    method: 'PATCH',
    path: single,
    summary: `Change what is named of one of ${section.name}.`,
    ability: abilityOf(section, 'edit'),
    further: (request) => furtherOf(section, request),
    body: partOf(section),
    reply: { 200: oneOf(section) },
    refuses: unknown,
    handle: (call, request) =>
      one(written(updateEntry(call, section, request.params.id!, request.body, selected(request)))),
  })
  return [...routes, update]
}

/** What is asked for a kind of configuration; a kind whose abilities are not listed does not start. */
function abilityOf({ name }: ConfigSection, verb: 'read' | 'edit' | 'end' | 'launch'): Ability {
  return `${name}.${verb}` as Ability
}

/**
 * What is no draft is used at once: to write it takes the ability to launch, where there is one. To write that it is archived is to end
 * it, and takes what ending takes.
 */
function furtherOf(section: ConfigSection, { body }: Request): Ability | undefined {
  const launch = abilityOf(section, 'launch')
  const state = (body as { state?: unknown } | undefined | null)?.state
  if (!isAbility(launch) || state === 'draft') return undefined
  return state === 'archived' ? abilityOf(section, 'end') : launch
}

/** `?plan=true`. Anything but true and false is refused: it must not apply what was meant as a question. */
function isPlan(request: Request): boolean {
  const plan = oneValue(request.query, 'plan') ?? 'false'
  if (plan !== 'true' && plan !== 'false') throw invalid("'plan' must be true or false")
  return plan === 'true'
}
