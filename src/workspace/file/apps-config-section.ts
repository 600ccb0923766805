import { AppShape, appsMax } from '../settings/schema.ts'
import { deleteApp, insertApps, listApps, updateApps, type WorkspaceApp } from '../settings/store.ts'
import type { ConfigSection } from './config-section.ts'

/** `apps`: the apps and sites of the product; their ids are the `app_id` of events and push tokens. */
export const appsSection: ConfigSection<WorkspaceApp> = {
  name: 'apps',
  path: 'apps',
  one: 'app',
  shape: AppShape,
  countMax: appsMax,
  counts: () => true,
  list: listApps,
  resolve: ({ id, name, platform }) => ({ entry: { id, name, platform: platform as string } }),
  toReply: (app) => ({ ...app }),
  async insert(tx, workspace_id, apps, at) {
    await insertApps(tx, workspace_id, apps, at)
    return []
  },
  update: updateApps,
  endSummary: 'Delete an app.',
  end: deleteApp,
}
