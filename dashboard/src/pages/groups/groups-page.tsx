import { getAdminHeadsSubscriptionGroups } from '../../api/generated.ts'
import { HeadList, NameCell } from '../../frame/head-list.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { type Group, NewGroup } from './edit-group.tsx'
import { CountCell } from './group-counts.tsx'
import { GroupState } from './group-words.tsx'

/** The topics that people subscribe to. */
export function GroupsPage() {
  const { workspace } = useViewer()
  const pathOf = (id: string) => paths.group(workspace.id, id)
  return (
    <HeadList
      title="Groups"
      what="groups"
      operation={getAdminHeadsSubscriptionGroups({ workspace: workspace.id })}
      headsOf={({ subscription_groups }) => subscription_groups}
      pathOf={pathOf}
      actions={<NewGroup />}
      sentence="Topics that people subscribe to, and leave. An archived group keeps its states and takes no new ones."
      columns={columnsOf(pathOf)}
      empty={
        <Empty title="There are no subscription groups" actions={<NewGroup />}>
          A group is a topic, such as a newsletter, that people can leave without leaving the rest.
        </Empty>
      }
    />
  )
}

function columnsOf(pathOf: (id: string) => string): readonly Column<Group>[] {
  return [
    { head: 'Name', width: '28%', cell: ({ id, name }) => <NameCell name={name} to={pathOf(id)} /> },
    { head: 'Channel', width: '12%', wideOnly: true, cell: ({ channel }) => channel },
    {
      head: 'Subscribed',
      width: '14%',
      align: 'end',
      cell: ({ id }) => <CountCell id={id} state="subscribed" />,
    },
    {
      head: 'Unsubscribed',
      width: '14%',
      align: 'end',
      cell: ({ id }) => <CountCell id={id} state="unsubscribed" />,
    },
    { head: 'State', width: '12%', cell: (group) => <GroupState group={group} /> },
    { head: 'Used by', width: '20%', wideOnly: true, cell: (users) => <UsedBy users={users} /> },
  ]
}
