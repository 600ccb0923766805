import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  getAdminWebhookDeliveries,
  getAdminWebhooks,
  patchAdminWebhooksId,
  postAdminWebhooksIdResume,
  postAdminWebhooksIdTest,
} from '../../api/generated.ts'
import { polling, reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { ListPage } from '../../frame/list-page.tsx'
import { useReason } from '../../frame/permit.ts'
import { usePageSearch } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import { AttemptList } from './attempt-list.tsx'
import { type Delivery, type Webhook, wordsOfTypes } from './webhook.ts'
import { EndWebhook, ReplayEvents, RotateSecret } from './webhook-dialogs.tsx'
import { ChangeWebhook, NewWebhook } from './webhook-form.tsx'
import styles from './webhooks.module.css'

type Open =
  | { readonly what: 'new' }
  | { readonly what: 'change' | 'rotate' | 'replay' | 'end'; readonly webhook: Webhook }

const everyMs = 5_000

/** The programs to which events are sent, and how that is going. */
export function WebhooksPage() {
  const { workspace } = useViewer()
  const operation = getAdminWebhooks({ workspace: workspace.id })
  const webhooks = useQuery(reading(operation))
  const deliveries = useQuery(polling(getAdminWebhookDeliveries({ workspace: workspace.id }), everyMs)).data?.deliveries
  useFeed(operation)
  const [{ webhook: chosen }, change] = usePageSearch<{ webhook?: string }>()
  const [open, setOpen] = useState<Open>()
  const make = (
    <Button look="main" disabledReason={useReason('webhooks.edit')} onClick={() => setOpen({ what: 'new' })}>
      New webhook
    </Button>
  )
  const close = () => setOpen(undefined)
  const shown = webhooks.data?.webhooks.find(({ id }) => id === chosen)
  return (
    <>
      <ListPage
        title="Webhooks"
        what="webhooks"
        query={webhooks}
        head={make}
        sentence="Programs of your company that get the events of messages, subscriptions and people."
        isEmpty={(reply) => reply.webhooks.length === 0}
        empty={
          <Empty title="There are no webhooks" actions={make}>
            A webhook tells another program, such as a CRM, what happens here: each event is sent to its address.
          </Empty>
        }
      >
        {(reply) => (
          <WebhooksTable
            webhooks={reply.webhooks}
            deliveryOf={(id) => deliveries?.find((each) => each.id === id)}
            onChoose={(id) => change({ webhook: id === chosen ? undefined : id } as object)}
            onOpen={setOpen}
          />
        )}
      </ListPage>
      {shown && <AttemptList webhook={shown} />}
      {open?.what === 'new' && <NewWebhook onClose={close} />}
      {open?.what === 'change' && <ChangeWebhook webhook={open.webhook} onClose={close} />}
      {open?.what === 'rotate' && <RotateSecret webhook={open.webhook} onClose={close} />}
      {open?.what === 'replay' && <ReplayEvents webhook={open.webhook} onClose={close} />}
      {open?.what === 'end' && <EndWebhook webhook={open.webhook} onClose={close} />}
    </>
  )
}

type WebhooksTableProps = {
  webhooks: readonly Webhook[]
  deliveryOf: (id: string) => Delivery | undefined
  onChoose: (id: string) => void
  onOpen: (open: Open) => void
}

function WebhooksTable({ webhooks, deliveryOf, onChoose, onOpen }: WebhooksTableProps) {
  const columns: Column<Webhook>[] = [
    { head: 'Name', width: '14%', cell: ({ name }) => <span dir="auto">{name}</span> },
    { head: 'Address', width: '22%', wraps: true, wideOnly: true, cell: ({ url }) => url },
    { head: 'Gets', width: '12%', cell: ({ event_types }) => wordsOfTypes(event_types ?? []) },
    { head: 'State', width: '22%', wraps: true, cell: ({ id }) => <Standing delivery={deliveryOf(id)} /> },
    {
      head: 'Waiting',
      width: '8%',
      align: 'end',
      cell: ({ id }) => formatCount(deliveryOf(id)?.waiting),
    },
    {
      head: 'Do',
      width: '22%',
      align: 'end',
      cell: (webhook) => (
        <Actions webhook={webhook} delivery={deliveryOf(webhook.id)} onChoose={onChoose} onOpen={onOpen} />
      ),
    },
  ]
  return <Table caption="Webhooks" columns={columns} rows={webhooks} keyOf={({ id }) => id} />
}

/** How sending to a webhook is going. */
function Standing({ delivery }: { delivery: Delivery | undefined }) {
  if (!delivery) return null
  const { state, set_aside_because, failing_since, next_attempt_at, delivered_at, lost } = delivery
  const missing = lost > 0 && <span> Up to {formatCount(lost)} events were too old and were not sent.</span>
  if (state === 'set_aside') {
    return (
      <>
        <Mark family="failed">Set aside</Mark> {set_aside_because}.{missing}
      </>
    )
  }
  if (state === 'paused') return <Mark family="waiting">Paused</Mark>
  if (failing_since !== null) {
    return (
      <>
        <Mark family="failed">
          Failing since <Moment at={failing_since} />
        </Mark>{' '}
        {next_attempt_at !== null && (
          <>
            Tried again at <Moment at={next_attempt_at} />.
          </>
        )}
        {missing}
      </>
    )
  }
  return (
    <>
      <Mark family="sent">Active</Mark>{' '}
      {delivered_at !== null && (
        <>
          Last sent at <Moment at={delivered_at} />.
        </>
      )}
      {missing}
    </>
  )
}

type ActionsProps = {
  webhook: Webhook
  delivery: Delivery | undefined
  onChoose: (id: string) => void
  onOpen: (open: Open) => void
}

function Actions({ webhook, delivery, onChoose, onOpen }: ActionsProps) {
  const { workspace } = useViewer()
  const { id, name } = webhook
  const where = { workspace: workspace.id }
  const edit = useReason('webhooks.edit')
  const end = useReason('webhooks.end')
  const isPaused = webhook.state === 'paused'
  const test = useWrite({
    request: () => postAdminWebhooksIdTest(id, where),
    said: ({ attempt }) =>
      attempt.error === null ? `"${name}" took the test.` : `"${name}" did not take the test: ${attempt.error}.`,
  })
  const resume = useWrite({ request: () => postAdminWebhooksIdResume(id, where), said: () => `"${name}" is resumed.` })
  const pause = useWrite({
    request: () => patchAdminWebhooksId(id, { state: isPaused ? 'active' : 'paused' }, where),
    said: () => (isPaused ? `"${name}" is active again.` : `"${name}" is paused.`),
  })
  const isWaiting = delivery?.state === 'set_aside' || (delivery?.failing_since ?? null) !== null
  const button = (label: string, reason: string | undefined, onClick: () => void) => (
    <Button disabledReason={reason} aria-label={`${label} ${name}`} onClick={onClick}>
      {label}
    </Button>
  )
  return (
    <span className={styles.do}>
      {button('Requests', undefined, () => onChoose(id))}
      {isWaiting && button('Resume', edit, () => resume.mutate(undefined))}
      {button('Test', edit, () => test.mutate(undefined))}
      {button(isPaused ? 'Activate' : 'Pause', edit, () => pause.mutate(undefined))}
      {button('Change', edit, () => onOpen({ what: 'change', webhook }))}
      {button('Replay', edit, () => onOpen({ what: 'replay', webhook }))}
      {button('New secret', edit, () => onOpen({ what: 'rotate', webhook }))}
      {button('Delete', end, () => onOpen({ what: 'end', webhook }))}
    </span>
  )
}
