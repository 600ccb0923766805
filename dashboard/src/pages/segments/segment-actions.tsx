import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteAdminSegmentsId, type GetAdminHeadsSegmentsReply } from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

type Segment = GetAdminHeadsSegmentsReply['segments'][number]

/** What can be done with a segment: it is edited, or deleted. */
export function SegmentActions({ segment }: { segment: Segment }) {
  const { workspace } = useViewer()
  const [isDeleting, setIsDeleting] = useState(false)
  const edit = useReason('segments.edit')
  const end = useReason('segments.end')
  return (
    <>
      {edit === undefined ? (
        <Link to={paths.segmentEdit(workspace.id, segment.id)} className={buttonClass()}>
          Edit
        </Link>
      ) : (
        <Button disabledReason={edit}>Edit</Button>
      )}
      <Button disabledReason={end} onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      {isDeleting && <DeleteSegment segment={segment} onClose={() => setIsDeleting(false)} />}
    </>
  )
}

function DeleteSegment({ segment, onClose }: { segment: Segment; onClose: () => void }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const write = useWrite({
    request: () => deleteAdminSegmentsId(segment.id, { workspace: workspace.id }),
    said: () => `"${segment.name}" was deleted.`,
    onDone: () => void navigate({ to: paths.segments(workspace.id) }),
    ends: `/admin/segments/${encodeURIComponent(segment.id)}`,
  })
  return (
    <FormDialog
      title={`Delete "${segment.name}"?`}
      submit="Delete"
      danger
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <p>The people stay; the segment and its daily sizes are deleted. This cannot be undone.</p>
      {segment.used_by_count > 0 && (
        <>
          <p>It is used by:</p>
          <UsedBy users={segment} />
        </>
      )}
    </FormDialog>
  )
}
