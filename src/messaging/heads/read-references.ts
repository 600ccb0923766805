import type { SegmentRow } from '../../audience/segments/store.ts'
import type { Tx } from '../../base/db/db.ts'
import { Recent } from '../../base/work/recent.ts'
import type { Flow } from '../flows/flow.ts'
import { listVersions } from '../flows/flow-store.ts'
import { graphKey } from '../flows/graphs.ts'
import {
  type BlockHeadRow,
  type IdText,
  listBlockTexts,
  listTemplateTexts,
  type TemplateHeadRow,
} from './heads-store.ts'
import { type Reference, referencesOfDefinition, referencesOfText } from './references.ts'
import type { Referring } from './users.ts'

/** Definitions or texts that are in memory at the same time. Each may have 2 MiB. */
const atOnce = 10
/** The most things whose references are kept. */
const keptMax = 20_000

/** What all things of a workspace are read from. */
export type ReferringRows = {
  readonly workspace_id: number
  readonly segments: readonly SegmentRow[]
  readonly templates: readonly TemplateHeadRow[]
  readonly blocks: readonly BlockHeadRow[]
  /** Without archived ones. A flow may be there several times, with different versions. */
  readonly flows: readonly Flow[]
}

/**
 * Reads what things refer to. References are kept for each version of a thing, so that a definition is read once. One for each process.
 */
export class ReferenceReader {
  readonly #kept = new Recent<string, readonly Reference[]>(keptMax)

  async read(tx: Tx, { workspace_id, segments, templates, blocks, flows }: ReferringRows): Promise<Referring[]> {
    const ofSegments = segments.map(({ id, name, audience }): Referring => {
      return { user: { kind: 'segments', id, name }, references: referencesOfDefinition(audience) }
    })
    const ofTemplates = await this.#ofTexts('email_templates', workspace_id, templates, (ids) => {
      return listTemplateTexts(tx, workspace_id, ids)
    })
    const ofBlocks = await this.#ofTexts('content_blocks', workspace_id, blocks, (ids) => {
      return listBlockTexts(tx, workspace_id, ids)
    })
    return [...ofSegments, ...ofTemplates, ...ofBlocks, ...(await this.#ofFlows(tx, flows))]
  }

  async #ofTexts(
    kind: 'email_templates' | 'content_blocks',
    workspace_id: number,
    rows: readonly { readonly id: string; readonly name: string; readonly row_version: string }[],
    listTexts: (ids: readonly string[]) => Promise<IdText[]>,
  ): Promise<Referring[]> {
    const keyed = rows.map((row) => ({ ...row, key: `${kind} ${workspace_id} ${row.row_version} ${row.id}` }))
    const found = await this.#find(keyed, async (missing) => {
      const texts = new Map((await listTexts(missing.map(({ id }) => id))).map(({ id, text }) => [id, text]))
      return missing.map(({ id }) => referencesOfText(texts.get(id) ?? ''))
    })
    return keyed.map(({ id, name, key }) => ({ user: { kind, id, name }, references: found.get(key)! }))
  }

  async #ofFlows(tx: Tx, flows: readonly Flow[]): Promise<Referring[]> {
    // The time is in the key for a database that was restored to an earlier state.
    const keyed = flows.map((flow) => ({ ...flow, key: `flows ${graphKey(flow)} ${flow.updated_at.getTime()}` }))
    const found = await this.#find(keyed, async (missing) => {
      const versions = new Map((await listVersions(tx, missing)).map((row) => [graphKey(row), row.definition]))
      return missing.map((flow) => referencesOfDefinition(versions.get(graphKey(flow))))
    })
    return keyed.map(({ id, name, kind, key }) => {
      return { user: { kind: kind === 'canvas' ? 'canvases' : 'campaigns', id, name }, references: found.get(key)! }
    })
  }

  /** Returns references by key. Reads those that are not kept, some at a time. */
  async #find<Row extends { readonly key: string }>(
    rows: readonly Row[],
    read: (missing: readonly Row[]) => Promise<readonly (readonly Reference[])[]>,
  ): Promise<Map<string, readonly Reference[]>> {
    const found = new Map<string, readonly Reference[]>()
    const missing: Row[] = []
    for (const row of rows) {
      const kept = this.#kept.get(row.key)
      if (kept) found.set(row.key, kept)
      else missing.push(row)
    }
    for (let from = 0; from < missing.length; from += atOnce) {
      const some = missing.slice(from, from + atOnce)
      for (const [i, references] of (await read(some)).entries()) {
        this.#kept.set(some[i]!.key, references)
        found.set(some[i]!.key, references)
      }
    }
    return found
  }
}
