import { useQuery } from '@tanstack/react-query'
import { getAdminHeadsSegments } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import styles from './segment-editor.module.css'

/** What uses the segment: a change of it changes who gets their messages. */
export function UsersCard({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminHeadsSegments({ workspace: workspace.id })))
  const head = read.data?.segments.find((each) => each.id === id)
  return (
    <Card title="Used by">
      {read.data === undefined && <NoAnswer read={read} what="what uses it" />}
      {head?.used_by_count === 0 && <Note>Nothing uses it.</Note>}
      {head !== undefined && head.used_by_count > 0 && (
        <div className={styles.users}>
          <UsedBy users={head} />
        </div>
      )}
    </Card>
  )
}
