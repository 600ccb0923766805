import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { findContents } from '../blocks/block-store.ts'
import { findItems } from '../catalogs/item-store.ts'
import { selectItems } from '../catalogs/select-items.ts'
import type { RenderingSources } from './answer-queries.ts'
import { openConnectedContent } from './connected-content.ts'
import type { FindCredential } from './credential.ts'

export type SourceServices = {
  readonly db: Db
  readonly fetcher: Fetcher
  readonly clock: Clock
  readonly findCredential: FindCredential
}

/** The sources of a running process: the database, and the fetcher for other servers. */
export function openSources({ db, fetcher, clock, findCredential }: SourceServices): RenderingSources {
  const connectedContent = openConnectedContent({ fetcher, clock, findCredential })
  return {
    catalogItems: (workspace_id, catalog, ids) => findItems(db, workspace_id, catalog, ids),
    catalogSelection: (workspace_id, catalog, selection) => selectItems(db, workspace_id, catalog, selection),
    contentBlocks: (workspace_id, names) => findContents(db, workspace_id, names),
    fetch: connectedContent.fetch,
  }
}
