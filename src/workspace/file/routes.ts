import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, ReplyWithHeaders, type Route } from '../../base/http/route.ts'
import type { RefreshAfter } from '../settings/config-cache.ts'
import { PlanQuery, WorkspaceQuery } from '../settings/query-schema.ts'
import { WorkspaceHead } from '../settings/schema.ts'
import { isPlan, selected } from '../settings/selected.ts'
import { DescribedSettings } from '../settings/setting-words.ts'
import type { ConfigSection } from './config-section.ts'
import { createWorkspace, readSettings, readWorkspaces, renameWorkspace, updateSettings } from './edit-workspace.ts'
import { applyBody, planBody, planTag } from './entries.ts'
import { readFile } from './read-file.ts'
import {
  ApplyReply,
  FileQuery,
  FileReply,
  fileShape,
  SettingsReply,
  sectionAbility,
  WorkspaceReply,
  WorkspacesReply,
} from './schema.ts'

export type FileServices = {
  /** All config sections of the workspace file. */
  readonly configSections: readonly ConfigSection[]
  readonly refreshAfter: RefreshAfter
}

const admin = { permission: 'admin', errors: 'standard' } as const
const ofWorkspace = { ...admin, query: WorkspaceQuery } as const

export function fileRoutes({ configSections, refreshAfter }: FileServices): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'POST',
      path: '/admin/apply',
      ability: 'file.apply',
      summary: 'Apply a workspace file.',
      query: PlanQuery,
      body: fileShape(configSections),
      reply: { 200: ApplyReply },
      refusals: {
        409: 'Another workspace uses an id or a key of the file, or people are still in a deleted canvas or campaign.',
        412: 'The file would change something else than the plan with the ETag in `If-Match`; nothing was changed.',
      },
      // A plan has an ETag; applying the file with it does what was planned, or nothing.
      tagged: true,
      handle: async (call, request) => {
        const workspace = selected(request)
        if (!isPlan(request)) {
          const ifMatch = request.headers['if-match']
          return refreshAfter(applyBody(call, configSections, request.body, workspace, ifMatch))
        }
        const planned = await planBody(call, configSections, request.body, workspace)
        return new ReplyWithHeaders(planned, { ETag: planTag(planned) })
      },
    }),
    defineTagged({
      ...admin,
      method: 'GET',
      path: '/admin/file',
      ability: 'settings.read',
      furtherAbilities: () => configSections.map((section) => sectionAbility(section, 'read')),
      summary: 'Read a workspace as a workspace file, without secrets.',
      query: FileQuery,
      reply: { 200: FileReply },
      refusals: { 409: 'The workspace is larger than a file may be; read it in parts.' },
      handle: (call, request) => readFile(call, configSections, request),
    }),
  ]
}

export function workspaceRoutes({ configSections, refreshAfter }: FileServices): Route[] {
  const path = '/admin/workspace'
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'List all workspaces.',
      ability: 'workspaces.read',
      reply: { 200: WorkspacesReply },
      handle: readWorkspaces,
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Create a workspace.',
      ability: 'workspaces.create',
      body: WorkspaceHead,
      reply: { 201: WorkspaceReply },
      refusals: { 409: 'A workspace has this id or name.' },
      handle: (call, { body }) => refreshAfter(createWorkspace(call, configSections, body)),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'PATCH',
      path,
      summary: 'Rename a workspace.',
      ability: 'workspace.edit',
      body: WorkspaceHead,
      reply: { 200: WorkspaceReply },
      refusals: { 409: 'Another workspace has this name.' },
      handle: (call, request) => refreshAfter(renameWorkspace(call, configSections, request.body, selected(request))),
    }),
    defineTagged({
      ...ofWorkspace,
      method: 'GET',
      path: '/admin/settings',
      summary: 'Read the settings in effect, and those that were set.',
      ability: 'settings.read',
      reply: { 200: SettingsReply },
      handle: (call, request) => readSettings(call, selected(request)),
    }),
    defineTagged({
      ...ofWorkspace,
      method: 'PATCH',
      path: '/admin/settings',
      summary: 'Change settings; null resets one to its default.',
      ability: 'settings.edit',
      body: DescribedSettings,
      reply: { 200: SettingsReply },
      handle: (call, request) =>
        refreshAfter(
          updateSettings(call, configSections, request.body, selected(request), request.headers['if-match']),
        ),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'DELETE',
      path: '/admin/settings/{name}',
      ability: 'settings.edit',
      summary: 'Reset a setting to its default.',
      reply: { 200: SettingsReply },
      handle: (call, request) =>
        refreshAfter(updateSettings(call, configSections, { [request.params.name!]: null }, selected(request))),
    }),
  ]
}
