import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { getAdminSegmentsId } from '../../api/generated.ts'
import { readingTagged } from '../../api/queries.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { draftOf } from './segment-draft.ts'
import { SegmentEditor } from './segment-editor.tsx'

/** The page on which a segment is changed. */
export function SegmentEditPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useQuery(readingTagged(getAdminSegmentsId(id, { workspace: workspace.id }), parseExactly))
  const loaded = useMemo(() => read.data && { document: draftOf(read.data.reply), tag: read.data.tag }, [read.data])
  if (loaded === undefined) return <NoAnswer read={read} what="the segment" />
  return <SegmentEditor key={id} id={id} loaded={loaded} onStale={() => void read.refetch()} />
}
