import { AppShape, appsMax } from '../settings/schema.ts'
import { type App, deleteApp, insertApps, listApps, updateApps } from '../settings/store.ts'
import type { Member } from './config-section.ts'

/** `apps`: where people use the product; their ids are the `app_id` of events and tokens. */
export const appsMember: Member<App> = {
  name: 'apps',
  path: 'apps',
  one: 'app',
  shape: AppShape,
  countMax: appsMax,
  counts: () => true,
  list: listApps,
  settle: ({ id, name, platform }) => ({ entry: { id, name, platform: platform as string } }),
  shown: (app) => ({ ...app }),
  async insert(tx, workspace_id, apps, at) {
    await insertApps(tx, workspace_id, apps, at)
    return []
  },
  update: updateApps,
  ending: 'Delete an app.',
  end: deleteApp,
}
