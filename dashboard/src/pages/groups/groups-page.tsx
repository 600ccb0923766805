import { type GetAdminHeadsSubscriptionGroupsReply, getAdminHeadsSubscriptionGroups } from '../../api/generated.ts'
import { HeadList, NameCell } from '../../frame/head-list.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'

type Group = GetAdminHeadsSubscriptionGroupsReply['subscription_groups'][number]

/** The topics that people subscribe to. */
export function GroupsPage() {
  const { workspace } = useViewer()
  return (
    <HeadList
      title="Groups"
      what="groups"
      operation={getAdminHeadsSubscriptionGroups({ workspace: workspace.id })}
      headsOf={({ subscription_groups }) => subscription_groups}
      sentence="Topics that people subscribe to, and leave. An archived group keeps its states and takes no new ones."
      columns={columns}
      empty={
        <Empty title="There are no subscription groups">
          A group is a topic, such as a newsletter, that people can leave without leaving the rest. Write one into the
          workspace file, and send it with <code>easel apply</code>.
        </Empty>
      }
    />
  )
}

const columns: readonly Column<Group>[] = [
  { head: 'Name', width: '30%', cell: ({ name }) => <NameCell name={name} /> },
  {
    head: 'Id',
    width: '24%',
    wideOnly: true,
    cell: ({ id }) => (
      <>
        <code>{id}</code> <CopyButton text={id} label="Copy the id of the group" />
      </>
    ),
  },
  { head: 'Channel', width: '12%', cell: ({ channel }) => channel },
  {
    head: 'State',
    width: '14%',
    cell: ({ archived }) => (archived ? <Mark family="control">archived</Mark> : <Mark family="sent">active</Mark>),
  },
  { head: 'Used by', width: '20%', wideOnly: true, cell: (users) => <UsedBy users={users} /> },
]
