import type { Static } from 'typebox'
import type { ConfigSection, EntryResolution, GivenEntry } from '../../workspace/file/config-section.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import { malformedMistake } from '../texts/malformed.ts'
import { changedBlock, findCycle, fixedField } from './block-fields.ts'
import { type Block, type BlockRow, deleteBlock, insertBlocks, listBlocks, updateBlocks } from './block-store.ts'
import { BlockShape, blocksMax } from './schema.ts'

/** A block in a workspace file; the times are missing until it is stored. */
export type BlockEntry = Block & Partial<Pick<BlockRow, 'created_at' | 'updated_at'>>

/** `content_blocks`: texts that templates include by their names. */
export const blocksSection: ConfigSection<BlockEntry> = {
  name: 'content_blocks',
  path: 'content_blocks',
  one: 'content_block',
  shape: BlockShape,
  countMax: blocksMax,
  counts: () => true,
  list: listBlocks,
  resolve: resolveBlock,
  checkTogether: checkCircles,
  toReply({ id, name, description, content, state, tags }) {
    return { id, name, description, content, state, tags }
  },
  async insert(tx, workspace_id, blocks, at) {
    await insertBlocks(tx, workspace_id, blocks, at)
    return []
  },
  update: updateBlocks,
  endSummary: 'Delete a content block that no template, other block, canvas or campaign includes.',
  end: deleteBlock,
}

function resolveBlock(
  given: GivenEntry & { readonly id: string },
  before: BlockEntry | undefined,
): EntryResolution<BlockEntry> {
  const { name, content, description, state, tags } = given as unknown as Static<typeof BlockShape>
  const mistake = malformedMistake('content', content)
  if (mistake) return { mistake }
  const after = changedBlock(before, given.id, { description, name, content, state, tags })
  const fixed = before && fixedField(before, after)
  if (fixed) return { mistake: { path: fixed.path, message: `cannot be changed: ${fixed.text}` } }
  return { entry: { ...before, ...after } }
}

function checkCircles(blocks: readonly BlockEntry[]): { id: string; mistake: Mistake }[] {
  return blocks.flatMap((block) => {
    const cycle = block.mentions.length > 0 ? findCycle(block, blocks) : undefined
    if (cycle === undefined) return []
    return [{ id: block.id, mistake: { path: 'content', message: `includes itself: ${cycle}` } }]
  })
}
