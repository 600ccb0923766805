import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { parseBoolean, readNonEmpty, readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { newUuid } from '../../base/ids.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { getText } from '../texts/fields.ts'
import { readListing } from '../texts/listing.ts'
import { changedBlock, findCycle, fixedField, readBlockFields } from './block-fields.ts'
import {
  type Block,
  type BlockRow,
  findBlockById,
  insertBlocks,
  listBlockPage,
  listMentions,
  updateBlocks,
} from './block-store.ts'
import { blocksMax, blockTexts as texts } from './schema.ts'

/** Creates a block: `POST /content_blocks/create` (contract 10.5). */
export async function createBlock(call: Call, body: unknown) {
  const { db, workspace_id, clock } = call
  if (!isObject(body)) throw invalid(bodyNotObject)
  const block = changedBlock(undefined, newUuid(), readBlockFields(body, true))
  const at = new Date(clock.now())
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    if ((await checkAgainstOthers(tx, workspace_id, block)) >= blocksMax) {
      throw invalid(`There are at most ${blocksMax} Content Blocks in a workspace`)
    }
    await insertBlocks(tx, workspace_id, [block], at)
    await recordAudit(tx, call, { ...auditEntry(block, 'create'), after: describeFields(block), workspace_id })
  })
  return { content_block_id: block.id, liquid_tag: liquidTag(block.name), created_at: at.toISOString() }
}

/** Updates a block: `POST /content_blocks/update` (contract 10.5). Absent fields keep their values. */
export async function updateBlock(call: Call, body: unknown) {
  const { db, workspace_id, clock } = call
  if (!isObject(body)) throw invalid(bodyNotObject)
  const fields = readBlockFields(body, false)
  const at = new Date(clock.now())
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const before = await getBlock(tx, workspace_id, body.content_block_id)
    const block = changedBlock(before, before.id, fields)
    const fixed = fixedField(before, block)
    if (fixed) throw invalid(fixed.text)
    await checkAgainstOthers(tx, workspace_id, block)
    await updateBlocks(tx, workspace_id, [block], at)
    const fieldsOfBoth = { before: describeFields(before), after: describeFields(block) }
    await recordAudit(tx, call, { ...auditEntry(block, 'update'), ...fieldsOfBoth, workspace_id })
    return { content_block_id: block.id, liquid_tag: liquidTag(block.name), updated_at: at.toISOString() }
  })
}

/** Returns the fields as the workspace file has them. */
function describeFields({ id, name, description, content, state, tags }: Block): object {
  return { id, name, description, content, state, tags }
}

function auditEntry({ id, name }: Block, verb: 'create' | 'update') {
  return { action: `content_block.${verb}`, target: { kind: 'content_block', id, name } }
}

/** Lists blocks, oldest first: `GET /content_blocks/list` (contract 10.5). */
export async function listBlocks({ db, workspace_id }: Call, query: Query) {
  const rows = await listBlockPage(db, workspace_id, readListing(query, 'Content Block'))
  const content_blocks = rows.map(({ id, name, is_html, tags, created_at, updated_at }) => ({
    content_block_id: id,
    name,
    content_type: contentType(is_html),
    liquid_tag: liquidTag(name),
    inclusion_count: 0,
    created_at: created_at.toISOString(),
    last_edited: updated_at.toISOString(),
    tags,
  }))
  return { count: rows.length, content_blocks }
}

/** Returns a block: `GET /content_blocks/info` (contract 10.5). Inclusions are not counted, so the count is 0. */
export async function describeBlock({ db, workspace_id }: Call, query: Query) {
  const withInclusions = parseBoolean(readNonEmpty(query, 'include_inclusion_data') ?? 'false')
  if (withInclusions === undefined) throw invalid(texts.badInclusion)
  const block = await getBlock(db, workspace_id, readSingle(query, 'content_block_id'))
  return {
    content_block_id: block.id,
    name: block.name,
    content: block.content,
    description: block.description,
    content_type: contentType(/<[A-Za-z!/]/.test(block.content)),
    tags: block.tags,
    created_at: block.created_at.toISOString(),
    last_edited: block.updated_at.toISOString(),
    inclusion_count: 0,
    ...(withInclusions && { inclusion_data: [] }),
  }
}

/** Throws a 400 for a cycle or a name that is taken. Returns the number of other blocks. */
async function checkAgainstOthers(tx: Tx, workspace_id: number, block: Block): Promise<number> {
  const others = (await listMentions(tx, workspace_id)).filter(({ id }) => id !== block.id)
  const cycle = findCycle(block, others)
  if (cycle) throw invalid(texts.itself, [{ field: 'content', message: cycle }])
  if (others.some(({ name }) => name === block.name)) throw invalid(texts.nameTaken)
  return others.length
}

function getBlock(tx: Tx, workspace_id: number, id: unknown): Promise<BlockRow> {
  return getText(id, (text) => findBlockById(tx, workspace_id, text), texts)
}

function liquidTag(name: string): string {
  return `{{content_blocks.$\{${name}}}}`
}

function contentType(isHtml: boolean): 'html' | 'text' {
  return isHtml ? 'html' : 'text'
}
