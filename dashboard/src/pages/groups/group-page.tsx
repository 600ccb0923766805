import { useQuery } from '@tanstack/react-query'
import { getAdminHeadsSubscriptionGroups } from '../../api/generated.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/facts.tsx'
import { DoubleOptInCard } from './double-opt-in.tsx'
import { GroupActions } from './edit-group.tsx'
import { countOf, groupCounts } from './group-counts.tsx'
import { GroupState, sentenceOf } from './group-words.tsx'
import styles from './groups.module.css'

/** One subscription group: how many people are in it, and what uses it. */
export function GroupPage() {
  const { workspace } = useViewer()
  return (
    <ThingPage
      list={{ title: 'Groups', one: 'group', path: paths.groups(workspace.id) }}
      operation={getAdminHeadsSubscriptionGroups({ workspace: workspace.id })}
      headsOf={({ subscription_groups }) => subscription_groups}
      sentence={sentenceOf}
      actions={(group) => <GroupActions group={group} />}
    >
      {(group) => (
        <>
          <Card title="What it is">
            <Facts
              facts={[
                { name: 'Channel', value: group.channel },
                { name: 'State', value: <GroupState group={group} /> },
                { name: 'Used by', value: <UsedBy users={group} /> },
              ]}
            />
          </Card>
          <People id={group.id} />
          <DoubleOptInCard id={group.id} />
        </>
      )}
    </ThingPage>
  )
}

function People({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(groupCounts(workspace.id, id))
  return (
    <Card title="People">
      {read.data === undefined ? (
        <NoAnswer read={read} what="the counts" />
      ) : (
        <>
          <Facts
            facts={[
              { name: 'Subscribed', value: countOf(read.data, 'subscribed') },
              { name: 'Unsubscribed', value: countOf(read.data, 'unsubscribed') },
              { name: read.data.is_exact ? 'Counted' : 'Estimated', value: <Moment at={read.data.at} full /> },
            ]}
          />
          <div className={styles.buttons}>
            <Button
              disabledReason={read.isFetching ? 'The request is on its way.' : undefined}
              onClick={() => void read.refetch()}
            >
              Count again
            </Button>
          </div>
        </>
      )}
    </Card>
  )
}
