import Type from 'typebox'
import { parseJson } from '../../base/parse-json.ts'
import type { ConfigSection, EntryResolution, GivenEntry } from '../../workspace/file/config-section.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { tryParseSegment } from '../conditions/parse-condition.ts'
import { priceMistake } from '../conditions/price.ts'
import { SegmentSchema } from '../conditions/schema.ts'
import { nestingMistakes } from './nesting.ts'
import { audienceBytesMax, SegmentShape, segmentsMax } from './schema.ts'
import {
  deleteSegment,
  insertSegments,
  listSegments,
  type SegmentFields,
  type SegmentRow,
  updateSegments,
} from './store.ts'

/** A segment in a workspace file; the times are missing until it is stored. */
export type SegmentEntry = SegmentFields & Partial<Pick<SegmentRow, 'created_at' | 'updated_at'>>

/** The section `segments`: stored audiences. They may refer to each other by id or by name. */
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
  endSummary: 'Delete a segment that no other segment, canvas or campaign uses.',
  end: deleteSegment,
}

function resolveSegment(
  given: GivenEntry & { readonly id: string },
  before: SegmentEntry | undefined,
  { regex_characters_max }: Settings,
): EntryResolution<SegmentEntry> {
  // The audience is compared in its stored form, so that the same file changes nothing when it is applied again.
  const text = JSON.stringify(given.audience)
  const audience = parseJson(text) as object
  const parsed = tryParseSegment(audience, 'audience', regex_characters_max)
  if ('mistake' in parsed) return parsed
  const tooExpensive = priceMistake(parsed.tree)
  if (tooExpensive !== undefined) return { mistake: { path: 'audience', message: tooExpensive } }
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

/**
 * Checks segments against each other. When a stored segment no longer parses, that is the only mistake, because the others may depend on
 * it.
 */
function checkNesting(entries: readonly SegmentEntry[]): { id: string; mistake: Mistake }[] {
  const parsed = entries.map(({ id, name, audience }) => ({ id, name, ...tryParseSegment(audience, 'audience') }))
  const broken = parsed.flatMap((each) => ('mistake' in each ? [{ id: each.id, mistake: each.mistake }] : []))
  return broken.length > 0 ? broken : nestingMistakes(parsed.flatMap((each) => ('tree' in each ? [each] : [])))
}
