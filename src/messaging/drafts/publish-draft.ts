import Type from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import { Failure, invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import { type AuditAuthor, recordAudit } from '../../workspace/audit/record.ts'
import type { ConfigSection, WithWrite } from '../../workspace/file/config-section.ts'
import { type FlowEntry, flowSections } from '../flows/config-section.ts'
import type { FlowKind } from '../flows/flow.ts'
import { draftEntry } from './audit-draft.ts'
import { isExpected, staleText } from './describe-draft.ts'
import { type DraftKey, deleteDraft, findDraft } from './draft-store.ts'
import { openDefinition, restoreMarks } from './open-draft.ts'

/** The config section `canvases`, whose writes may publish a draft. */
export const draftedCanvases = draftedSection('canvas')

/** The config section `campaigns`, whose writes may publish a draft. */
export const draftedCampaigns = draftedSection('campaign')

function draftedSection(kind: FlowKind): ConfigSection<FlowEntry> {
  const section = flowSections[kind]
  return {
    ...section,
    withWrite: publishing(kind),
    async end(tx, workspace_id, id, at) {
      const isEnded = await section.end(tx, workspace_id, id, at)
      // Its definition has no flow any more to which it would be a change.
      if (isEnded) await deleteDraft(tx, { workspace_id, kind, id })
      return isEnded
    },
  }
}

/** A write with `?draft=` publishes a draft: it gets the texts of its secret headers, and deletes it. Throws 412. */
function publishing(kind: FlowKind): WithWrite {
  return {
    query: {
      draft: Type.Optional(
        Type.String({
          description:
            'The `tag` of the draft that is published: it is deleted with the write. Nothing is written when another one is stored.',
        }),
      ),
    },
    stale: 'What is stored, or the draft of `draft`, is another one now; nothing was changed.',
    async prepare(tx, author, { workspace_id, given, query }) {
      const tag = readSingle(query, 'draft')
      if (tag === undefined) return given
      if (typeof given.id !== 'string') throw invalid("'id' is required with 'draft'")
      return publish(tx, author, { workspace_id, kind, id: given.id }, given, tag)
    },
  }
}

async function publish(
  tx: Tx,
  author: AuditAuthor,
  key: DraftKey,
  given: Readonly<Record<string, unknown>>,
  tag: string,
): Promise<Readonly<Record<string, unknown>>> {
  const row = await findDraft(tx, key)
  if (!row || !isExpected(row, tag)) throw new Failure('preconditionFailed', staleText(row))
  const definition = await openDefinition(tx, key, row)
  await deleteDraft(tx, key)
  const { base_version } = row
  await recordAudit(tx, author, draftEntry('publish_draft', key, row.name, { before: { base_version } }))
  return restoreMarks(given, definition, undefined)
}
