import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type GetAdminInboxIdReply, getAdminInboxId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { channelWords } from '../../frame/channel-words.ts'
import { Failure } from '../../frame/failure.tsx'
import { KeptView } from '../../frame/kept-view.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card, Facts } from '../../ui/facts.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { formatBytes } from '../../words/numbers.ts'
import { shortId } from '../../words/people.ts'

/** A kept message with its addresses, as its recipient gets it. */
export function MailContent({ mail }: { mail: GetAdminInboxIdReply }) {
  const { workspace, may } = useViewer()
  const { id, to, from, at, external_id, dispatch_id, message_id, bytes } = mail
  return (
    <>
      <Card title={channelWords(mail.channel).title}>
        <Facts
          facts={[
            { name: 'To', value: to },
            ...(from === null ? [] : [{ name: 'From', value: from }]),
            { name: 'At', value: <Moment at={at} full /> },
            { name: 'Person', value: external_id ?? '-' },
            {
              name: 'Message',
              value:
                message_id !== null && may('messages.read') ? (
                  <Link to={paths.message(workspace.id, message_id)}>What became of it</Link>
                ) : (
                  '-'
                ),
            },
            {
              name: 'Send',
              value: dispatch_id === null ? '-' : <span title={dispatch_id}>{shortId(dispatch_id)}</span>,
            },
            { name: 'Size', value: formatBytes(bytes) },
          ]}
        />
      </Card>
      <Card title="What it looks like">
        <KeptView channel={mail.channel} kept={mail} source={<Source id={id} />} />
      </Card>
    </>
  )
}

function Source({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminInboxId(id, { workspace: workspace.id, source: 'true' })))
  if (read.isPending) return <LoadingRows what="the source" />
  if (!read.data) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  return <CodeBlock label="Source of the mail">{read.data.source ?? ''}</CodeBlock>
}
