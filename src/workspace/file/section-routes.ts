import { type Ability, isAbility } from '../../base/http/abilities.ts'
import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../settings/query-schema.ts'
import { selected } from '../settings/selected.ts'
import type { ConfigSection } from './config-section.ts'
import { createEntry, endEntry, getEntry, listSectionEntries, updateEntry } from './entries.ts'
import type { FileServices } from './routes.ts'
import { entryListReply, entryShape, partialEntryShape, singleEntryReply } from './schema.ts'

const ofWorkspace = { permission: 'admin', errors: 'standard', query: WorkspaceQuery } as const

/** The routes of all config sections: list, create, read, delete, and change where the section allows it. */
export function configSectionRoutes(services: FileServices): Route[] {
  return services.configSections.flatMap((section) => sectionRoutes(section, services))
}

function sectionRoutes(section: ConfigSection, { configSections, refreshAfter }: FileServices): Route[] {
  const path = `/admin/${section.path}`
  const single = `${path}/{id}`
  const one = async (entry: Promise<Record<string, unknown>>) => ({ [section.one]: await entry })
  const unknown = unknownOf(section)
  const routes = [
    defineRoute({
      ...ofWorkspace,
      method: 'GET',
      path,
      summary: `List the ${section.name} of a workspace.`,
      ability: sectionAbility(section, 'read'),
      reply: { 200: entryListReply(section) },
      handle: async (call, request) => ({ [section.path]: await listSectionEntries(call, section, selected(request)) }),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'POST',
      path,
      summary: `Create one of the ${section.name}.`,
      ability: sectionAbility(section, 'edit'),
      furtherAbilities: (request) => furtherAbilities(section, request),
      body: entryShape(section),
      reply: { 201: singleEntryReply(section) },
      refusals: { 409: 'The id or the name is taken.' },
      handle: (call, request) =>
        one(refreshAfter(createEntry(call, configSections, section, request.body, selected(request)))),
    }),
    defineTagged({
      ...ofWorkspace,
      method: 'GET',
      path: single,
      summary: `Read one of the ${section.name}.`,
      ability: sectionAbility(section, 'read'),
      reply: { 200: singleEntryReply(section) },
      refusals: unknown,
      handle: (call, request) => one(getEntry(call, section, request.params.id!, selected(request))),
    }),
    endRoute(section, single, { configSections, refreshAfter }),
  ]
  if (section.update === undefined) return routes
  const update = defineTagged({
    ...ofWorkspace,
    method: 'PATCH',
    path: single,
    summary: `Change some properties of one of the ${section.name}.`,
    ability: sectionAbility(section, 'edit'),
    furtherAbilities: (request) => furtherAbilities(section, request),
    body: partialEntryShape(section),
    reply: { 200: singleEntryReply(section) },
    refusals: unknown,
    handle: (call, request) => {
      const condition = { workspace: selected(request), ifMatch: request.headers['if-match'] }
      return one(refreshAfter(updateEntry(call, configSections, section, request.params.id!, request.body, condition)))
    },
  })
  return [...routes, update]
}

function unknownOf({ one }: ConfigSection) {
  return { 404: `There is no ${one} with this id, or no such workspace.` }
}

function endRoute(
  section: ConfigSection,
  path: string,
  { configSections, refreshAfter }: Pick<FileServices, 'configSections' | 'refreshAfter'>,
): Route {
  return defineRoute({
    ...ofWorkspace,
    method: 'DELETE',
    path,
    summary: section.endSummary,
    ability: sectionAbility(section, 'end'),
    reply: { 204: null },
    refusals: { ...unknownOf(section), 409: 'It cannot be deleted or archived now; the message has the reason.' },
    async handle(call, request) {
      const asked = { workspace: selected(request), may: request.may }
      await refreshAfter(endEntry(call, configSections, section, request.params.id!, asked))
      return undefined
    },
  })
}

/** Returns the ability that a route of the section needs. Throws when it is not listed, so that the service does not start. */
function sectionAbility({ name }: ConfigSection, verb: 'read' | 'edit' | 'end' | 'launch'): Ability {
  return `${name}.${verb}` as Ability
}

/**
 * Returns the further abilities for a write. An entry that is not a draft is active, so writing it needs the ability to launch, if the
 * section has one. Writing the state `archived` needs the ability to end. A section can need more.
 */
function furtherAbilities(section: ConfigSection, { body }: Request): readonly Ability[] {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>
  const own = section.furtherAbilities?.(given) ?? []
  const launch = sectionAbility(section, 'launch')
  if (!isAbility(launch) || given.state === 'draft') return own
  return [...own, given.state === 'archived' ? sectionAbility(section, 'end') : launch]
}
