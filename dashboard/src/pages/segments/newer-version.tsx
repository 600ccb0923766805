import { useQuery } from '@tanstack/react-query'
import { getAdminAudit, postAdminAudienceCheck } from '../../api/generated.ts'
import { asking, reading } from '../../api/queries.ts'
import type { Draft, Saved } from '../../draft/use-draft.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { actorName } from '../audit/audit-content.tsx'
import type { SegmentDraft } from './segment-draft.ts'
import styles from './segment-editor.module.css'

type NewerVersionProps = { id: string; loaded: Saved<SegmentDraft>; draft: Draft<SegmentDraft> }

/** Says who has changed the segment since the edits began, and what is stored now. The reader decides what stays. */
export function NewerVersion({ id, loaded, draft }: NewerVersionProps) {
  const { workspace, may } = useViewer()
  const query = { workspace: workspace.id }
  const newest = useQuery({
    ...reading(getAdminAudit({ ...query, target: `segment:${id}`, kind: 'change', limit: 1 })),
    enabled: may('audit.read'),
  })
  const words = useQuery(asking(postAdminAudienceCheck({ audience: loaded.document.audience }, query)))
  const entry = newest.data?.audit[0]
  return (
    <div className={styles.refusal} role="alert">
      <strong>The segment was changed while you edited it</strong>
      {entry && (
        <p>
          By {actorName(entry)}, at <Moment at={entry.at} full />.
        </p>
      )}
      <p dir="auto">
        Stored now as "{loaded.document.name}"{words.data?.words ? `: ${words.data.words}.` : '.'}
      </p>
      <div className={styles.choices}>
        <Button onClick={() => draft.rebase(loaded)}>Keep my changes</Button>
        <Button onClick={() => draft.discard()}>Take what is stored</Button>
      </div>
    </div>
  )
}
