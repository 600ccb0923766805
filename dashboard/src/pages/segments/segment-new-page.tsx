import { newSegment } from './segment-draft.ts'
import { SegmentEditor } from './segment-editor.tsx'

/** The page on which a segment is made. */
export function SegmentNewPage() {
  return <SegmentEditor loaded={newSegment} />
}
