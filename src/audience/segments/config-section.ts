import Type from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import { conflict } from '../../base/errors.ts'
import type { ConfigSection, GivenEntry, ResolvedEntry } from '../../workspace/file/config-section.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { segmentIdsIn, tryParseSegment } from '../conditions/parse-condition.ts'
import { SegmentSchema } from '../conditions/schema.ts'
import { finderByIdOrName, nestingMistakes } from './nesting.ts'
import { audienceBytesMax, SegmentShape, segmentsMax } from './schema.ts'
import {
  deleteSegment,
  insertSegments,
  listSegments,
  type SegmentFields,
  type SegmentRow,
  updateSegments,
} from './store.ts'

/** A segment as a file knows it; the times are there once it is stored. */
export type SegmentEntry = SegmentFields & Partial<Pick<SegmentRow, 'created_at' | 'updated_at'>>

/** `segments`: stored trees of conditions on people, which may name each other by id or by name. */
export const segmentsSection: ConfigSection<SegmentEntry> = {
  name: 'segments',
  path: 'segments',
  one: 'segment',
  shape: SegmentShape,
  described: Type.Object({ ...SegmentShape.properties, audience: SegmentSchema }, { additionalProperties: false }),
  countMax: segmentsMax,
  counts: () => true,
  list: listSegments,
  resolve: resolveSegment,
  checkTogether: checkNesting,
  toReply({ id, name, description, audience, tags, analytics_tracking_enabled }) {
    return { id, name, description, audience, tags, analytics_tracking_enabled }
  },
  async insert(tx, workspace_id, entries, at) {
    await insertSegments(tx, workspace_id, entries, at)
    return []
  },
  update: updateSegments,
  endSummary: 'Delete a segment that no other one names.',
  end: endSegment,
}

function resolveSegment(
  given: GivenEntry & { readonly id: string },
  before: SegmentEntry | undefined,
  { regex_characters_max }: Settings,
): ResolvedEntry<SegmentEntry> {
  // As storage gives it back, so that the same file changes nothing when it is applied again.
  const text = JSON.stringify(given.audience)
  const audience = JSON.parse(text) as object
  const judged = tryParseSegment(audience, 'audience', regex_characters_max)
  if ('mistake' in judged) return judged
  const bytes = Buffer.byteLength(text)
  if (bytes > audienceBytesMax) {
    const message = `has ${bytes} bytes as JSON; at most ${audienceBytesMax} are allowed`
    return { mistake: { path: 'audience', message } }
  }
  const { id, name, description, tags, analytics_tracking_enabled } = given as Partial<SegmentEntry> & {
    id: string
    name: string
  }
  return {
    entry: {
      ...before,
      id,
      name,
      description: description ?? before?.description ?? '',
      audience,
      tags: tags ?? before?.tags ?? [],
      analytics_tracking_enabled: analytics_tracking_enabled ?? before?.analytics_tracking_enabled ?? true,
    },
  }
}

/** One that was stored and cannot be read any more is told instead: nothing can be said of the others without it. */
function checkNesting(entries: readonly SegmentEntry[]): { id: string; mistake: Mistake }[] {
  const read = entries.map(({ id, name, audience }) => ({ id, name, ...tryParseSegment(audience, 'audience') }))
  const broken = read.flatMap((each) => ('mistake' in each ? [{ id: each.id, mistake: each.mistake }] : []))
  return broken.length > 0 ? broken : nestingMistakes(read.flatMap((each) => ('tree' in each ? [each] : [])))
}

/** Throws 409 while another segment names it. */
async function endSegment(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const segments = await listSegments(tx, workspace_id)
  const find = finderByIdOrName(segments)
  const users = segments.filter(({ audience }) => {
    const judged = tryParseSegment(audience, 'audience')
    return 'tree' in judged && segmentIdsIn(judged.tree).some((word) => find(word)?.id === id)
  })
  if (users.length > 0) {
    const names = users.map(({ name }) => JSON.stringify(name)).join(', ')
    throw conflict(`The segment is named by ${names}: change or delete ${users.length === 1 ? 'it' : 'them'} first`)
  }
  return deleteSegment(tx, workspace_id, id)
}
