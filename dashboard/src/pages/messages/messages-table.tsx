import { Link } from '@tanstack/react-router'
import type { GetAdminMessagesReply } from '../../api/generated.ts'
import { channelWords } from '../../frame/channel-words.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Mark } from '../../ui/mark.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatNumber } from '../../words/numbers.ts'
import { displayName } from '../../words/people.ts'

type Message = GetAdminMessagesReply['messages'][number]

type MessagesTableProps = {
  messages: readonly Message[]
  chosen: string | undefined
  dimmed: boolean
  onChoose: (id: string) => void
}

/** Messages with their people and outcomes. */
export function MessagesTable({ messages, chosen, dimmed, onChoose }: MessagesTableProps) {
  const { workspace, zoneLabel } = useViewer()
  const columns: Column<Message>[] = [
    { head: `Time (${zoneLabel})`, width: '12%', cell: ({ planned_at }) => <Moment at={planned_at} /> },
    {
      head: 'Subject',
      width: '26%',
      cell: ({ message_id, subject, channel }) => (
        <Link to={paths.message(workspace.id, message_id)} dir="auto" title={subject ?? undefined}>
          {subject === null ? `(${channelWords(channel).one}, not made)` : subject === '' ? '(no subject)' : subject}
        </Link>
      ),
    },
    {
      head: 'Person',
      width: '20%',
      cell: ({ person, address }) => (
        <span dir="auto" title={address ?? undefined}>
          {person ? displayName(person) : (address ?? '-')}
        </span>
      ),
    },
    {
      head: 'Canvas or campaign, step',
      width: '19%',
      wideOnly: true,
      cell: ({ flow, step }) => <FlowStep flow={flow} step={step} />,
    },
    {
      head: 'Outcome',
      width: '17%',
      cell: ({ family, reason, state, sentence }) => (
        <span title={sentence}>
          <Mark family={family}>{(reason ?? state).replaceAll('_', ' ')}</Mark>
        </span>
      ),
    },
    { head: 'Tries', width: '6%', align: 'end', wideOnly: true, cell: ({ attempts }) => formatNumber(attempts) },
  ]
  return (
    <Table
      caption="Messages"
      columns={columns}
      rows={messages}
      keyOf={({ message_id }) => message_id}
      chosen={chosen}
      dimmed={dimmed}
      onChoose={({ message_id }) => onChoose(message_id)}
    />
  )
}

function FlowStep({ flow, step }: Pick<Message, 'flow' | 'step'>) {
  if (!flow) return '-'
  const name = step ? `${flow.name}, ${step.name ?? step.id}` : flow.name
  return (
    <span dir="auto" title={name}>
      {name}
    </span>
  )
}
