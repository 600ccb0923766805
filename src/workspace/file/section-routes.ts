import Type, { type TObject } from 'typebox'
import { type Ability, isAbility } from '../../base/http/abilities.ts'
import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../settings/query-schema.ts'
import { selected } from '../settings/selected.ts'
import type { ConfigSection } from './config-section.ts'
import { createEntry, endEntry, getEntry, listSectionEntries, updateEntry } from './entries.ts'
import type { FileServices } from './routes.ts'
import { entryListReply, entryShape, partialEntryShape, sectionAbility, singleEntryReply } from './schema.ts'

const ofWorkspace = { permission: 'admin', errors: 'standard', query: WorkspaceQuery } as const

/** The routes of all config sections: list, create, read, delete, and change where the section allows it. */
export function configSectionRoutes(services: FileServices): Route[] {
  return services.configSections.flatMap((section) => sectionRoutes(section, services))
}

function sectionRoutes(section: ConfigSection, { configSections, refreshAfter }: FileServices): Route[] {
  const path = `/admin/${section.path}`
  const single = `${path}/{id}`
  const one = async (entry: Promise<Record<string, unknown>>) => ({ [section.one]: await entry })
  const unknown = unknownEntry(section)
  const stale: Readonly<Record<number, string>> = section.withWrite ? { 412: section.withWrite.stale } : {}
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
      query: writeQuery(section),
      method: 'POST',
      path,
      summary: `Create one of the ${section.name}.`,
      ability: sectionAbility(section, 'edit'),
      furtherAbilities: (request) => furtherAbilities(section, request),
      body: entryShape(section),
      reply: { 201: singleEntryReply(section) },
      refusals: { 409: 'The id or the name is taken.', ...stale },
      handle: (call, request) => {
        const of = { workspace: selected(request), query: request.query }
        return one(refreshAfter(createEntry(call, configSections, section, request.body, of)))
      },
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
  return section.update === undefined ? routes : [...routes, updateRoute(section, { configSections, refreshAfter })]
}

function updateRoute(section: ConfigSection, { configSections, refreshAfter }: FileServices): Route {
  return defineTagged({
    ...ofWorkspace,
    query: writeQuery(section),
    method: 'PATCH',
    path: `/admin/${section.path}/{id}`,
    summary: `Change some properties of one of the ${section.name}.`,
    ability: sectionAbility(section, 'edit'),
    furtherAbilities: (request) => furtherAbilities(section, request),
    body: partialEntryShape(section),
    reply: { 200: singleEntryReply(section) },
    refusals: unknownEntry(section),
    async handle(call, request) {
      const condition = { workspace: selected(request), ifMatch: request.headers['if-match'], query: request.query }
      const entry = updateEntry(call, configSections, section, request.params.id!, request.body, condition)
      return { [section.one]: await refreshAfter(entry) }
    },
  })
}

/** Returns the query of a write: the workspace, and what the section has besides. */
function writeQuery({ withWrite }: ConfigSection): TObject {
  return withWrite ? Type.Object({ ...WorkspaceQuery.properties, ...withWrite.query }) : WorkspaceQuery
}

function unknownEntry({ one }: ConfigSection): Readonly<Record<number, string>> {
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
    refusals: { ...unknownEntry(section), 409: 'It cannot be deleted or archived now; the message has the reason.' },
    async handle(call, request) {
      const asked = { workspace: selected(request), may: request.may }
      await refreshAfter(endEntry(call, configSections, section, request.params.id!, asked))
      return undefined
    },
  })
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
