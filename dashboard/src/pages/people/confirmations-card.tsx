import {
  deleteAdminPeopleIdConfirmationsGroup,
  type GetAdminPeopleIdReply,
  postAdminPeopleIdConfirmationsGroupResend,
} from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import styles from './person-page.module.css'

type Confirmation = GetAdminPeopleIdReply['confirmations'][number]

/** What a person was asked to confirm; nothing when they were not asked. */
export function Confirmations({ reply: { person, confirmations } }: { reply: GetAdminPeopleIdReply }) {
  if (confirmations.length === 0) return null
  return (
    <Card title="Confirmations">
      {confirmations.map((each) => (
        <div key={each.subscription_group_id}>
          <Note>{each.sentence}</Note>
          {each.state === 'pending' && <Steering person={person.id} confirmation={each} />}
        </div>
      ))}
    </Card>
  )
}

function Steering({ person, confirmation }: { person: string; confirmation: Confirmation }) {
  const { workspace } = useViewer()
  const reason = useReason('people.edit')
  const { subscription_group_id: group, group: name, keyword } = confirmation
  const what = keyword === null ? 'mail' : 'text message'
  const query = { workspace: workspace.id }
  const resend = useWrite({
    request: (_: undefined) => postAdminPeopleIdConfirmationsGroupResend(person, group, query),
    said: () => `The ${what} that asks to confirm "${name}" is sent again.`,
  })
  const withdraw = useWrite({
    request: (_: undefined) => deleteAdminPeopleIdConfirmationsGroup(person, group, query),
    said: () =>
      keyword === null
        ? `The link for "${name}" does not work any more.`
        : `A reply does not confirm "${name}" any more.`,
  })
  const isPending = resend.isPending || withdraw.isPending
  const busy = isPending ? 'The request is on its way.' : undefined
  const failed = [resend, withdraw].find(({ isError }) => isError)
  return (
    <div className={styles.steering}>
      <Button disabledReason={reason ?? busy} onClick={() => resend.mutate(undefined)}>
        {`Send the ${what} again`}
      </Button>
      <Button disabledReason={reason ?? busy} onClick={() => withdraw.mutate(undefined)}>
        Withdraw
      </Button>
      {failed && (
        <div role="alert">
          <Refusal error={failed.error} />
        </div>
      )}
    </div>
  )
}
