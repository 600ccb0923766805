import type { GetAdminSegmentsIdReply, PostAdminAudienceCheckBody } from '../../api/generated.ts'
import { examples } from '../../audience/examples.ts'
import type { Saved } from '../../draft/use-draft.ts'

export type Audience = PostAdminAudienceCheckBody['audience']

/** What is edited of a segment. */
export type SegmentDraft = {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly audience: Audience
}

/** A segment that is not stored yet. It begins with an example. */
export const newSegment: Saved<SegmentDraft> = {
  document: { name: '', description: '', tags: [], audience: examples[0]!.audience as Audience },
  tag: null,
}

export function draftOf({ segment }: GetAdminSegmentsIdReply): SegmentDraft {
  const { name, description = '', tags = [], audience } = segment
  return { name, description, tags, audience: audience as Audience }
}

/** Reads tags as they are typed. Pure. */
export function readTags(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}
