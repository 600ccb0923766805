import { useQuery } from '@tanstack/react-query'
import { getAdminPeopleId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { SidePanel } from '../../frame/panel.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { LoadingRows } from '../../ui/states.tsx'
import { displayName } from '../../words/people.ts'
import { Attributes, Identity } from './person-profile.tsx'

/** A person beside a list. */
export function PersonPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminPeopleId(id, { workspace: workspace.id })))
  const title = read.data ? displayName(read.data.person) : 'Person'
  return (
    <SidePanel title={title} page={paths.person(workspace.id, id)} onClose={onClose}>
      {read.isPending && <LoadingRows what="the person" />}
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && (
        <>
          <p>{read.data.sentence}</p>
          <Identity reply={read.data} />
          <Attributes reply={read.data} />
        </>
      )}
    </SidePanel>
  )
}
