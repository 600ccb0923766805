import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { findBlocks } from '../blocks/block-store.ts'
import { findItems } from '../catalogs/item-store.ts'
import { selectItems } from '../catalogs/select.ts'
import type { Sources } from '../liquid/answers.ts'
import { type Credential, openConnection } from '../liquid/connection.ts'

export type SourceParts = {
  readonly db: Db
  readonly fetcher: Fetcher
  readonly clock: Clock
  findCredential(workspace_id: number, name: string): Promise<Credential | undefined>
}

/** Where rendering gets what templates ask for: the database, and the one way out. */
export function sourcesOf({ db, fetcher, clock, findCredential }: SourceParts): Sources {
  const connection = openConnection({ fetcher, clock, findCredential })
  return {
    catalogItems: (workspace_id, catalog, ids) => findItems(db, workspace_id, catalog, ids),
    catalogSelection: (workspace_id, catalog, selection) => selectItems(db, workspace_id, catalog, selection),
    contentBlocks: (workspace_id, names) => findBlocks(db, workspace_id, names),
    fetch: connection.fetch,
  }
}
