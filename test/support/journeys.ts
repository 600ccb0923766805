import type { Clock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import type { MoveServices } from '../../src/messaging/journeys/services.ts'
import { addressHasher } from '../../src/people/identity/person.ts'
import { Watched } from '../../src/people/signals/signals.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'
import type { Workspace } from '../../src/workspace/settings/workspaces.ts'

/** Returns what moves entries in a workspace whose time zone is UTC, without the rest of a service. */
export function moveServices(db: Db, clock: Clock): MoveServices {
  const workspace: Workspace = {
    ...{ workspace_id: 1, id: 'main', name: 'Main', settings: completeSettings({ time_zone: 'UTC' }) },
    ...{
      apps: new Map(),
      groups: new Map(),
      appIds: new Set(),
      reservedExternalIds: new Set(),
      blockedAttributes: new Set(),
    },
  }
  return {
    db,
    clock,
    graphs: new Graphs(),
    workspaces: { get: () => workspace },
    hashAddress: addressHasher(Buffer.alloc(32)),
    serviceName: 'service',
    watched: new Watched(),
    newId: (bucket) => nextProfileId(bucket, clock.elapsed()),
  }
}
