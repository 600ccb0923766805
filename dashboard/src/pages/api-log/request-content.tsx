import { Link } from '@tanstack/react-router'
import { root } from '../../api/call.ts'
import type { GetAdminRequestsIdReply } from '../../api/generated.ts'
import { curlWith } from '../../api/operation.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import { indentJson } from '../../words/json.ts'
import { formatCount, formatNumber } from '../../words/numbers.ts'
import styles from './api-log-page.module.css'
import { StatusMark } from './status-mark.tsx'

type Reply = GetAdminRequestsIdReply

const callers: Readonly<Record<Reply['request']['by'], string>> = {
  key: 'API key',
  admin: 'admin token',
  account: 'account',
  nobody: 'a caller that was not recognised',
}

/** Everything that is kept of one request. */
export function RequestContent({ reply }: { reply: Reply }) {
  const { workspace, may } = useViewer()
  const { request, process, clock_at, ip, sent, answered } = reply
  return (
    <>
      <Card title="Request">
        <Facts
          facts={[
            { name: 'Status', value: <StatusMark status={request.status} /> },
            ...(request.refusal === null ? [] : [{ name: 'Refused', value: request.refusal }]),
            { name: 'Machine time', value: <Moment at={request.at} full /> },
            { name: 'Business time', value: <Moment at={clock_at} full /> },
            { name: 'Took', value: `${formatNumber(request.ms)} ms` },
            { name: 'Made by', value: [callers[request.by], request.key ?? ''].filter(Boolean).join(' ') },
            { name: 'From', value: ip },
            { name: 'Items', value: formatCount(request.items) },
            { name: 'Request id', value: request.id },
            { name: 'Process', value: process },
          ]}
        />
      </Card>
      <div className={styles.actions}>
        <CurlButton reply={reply} />
        {may('work.read') && (
          <Link to={paths.work(workspace.id, { request_id: request.id })} className={buttonClass()}>
            Its work
          </Link>
        )}
      </div>
      <Body title="Body of the request" body={sent.body} none="No body was read." />
      <Body title="Body of the answer" body={answered.body} none="The answer has no body." />
      <Card title="Headers of the request">
        <Facts facts={Object.entries(sent.headers).map(([name, value]) => ({ name, value }))} empty="None." />
        <Note>*** stands for values that are not kept.</Note>
      </Card>
      <Card title="Headers of the answer">
        <Facts facts={Object.entries(answered.headers).map(([name, value]) => ({ name, value }))} empty="None." />
      </Card>
    </>
  )
}

function CurlButton({ reply: { request, sent } }: { reply: Reply }) {
  if (sent.body.is_cut) {
    return <Button disabledReason="Only the beginning of the body is kept.">Copy as curl</Button>
  }
  const variable = request.path.startsWith('/admin/') ? 'ADMIN' : 'KEY'
  const url = location.origin + root.replace(/\/$/, '') + request.path
  return (
    <CopyButton
      text={curlWith(variable, { method: request.method, url, text: sent.body.text })}
      label={`Copies a command that uses the variable ${variable}`}
    >
      Copy as curl
    </CopyButton>
  )
}

type BodyProps = { title: string; body: Reply['sent']['body']; none: string }

function Body({ title, body: { text, bytes, is_cut }, none }: BodyProps) {
  return (
    <Card title={title}>
      {text === null ? <Note>{none}</Note> : <CodeBlock label={title}>{indentJson(text)}</CodeBlock>}
      {is_cut && <Note>Only the beginning of {formatCount(bytes)} bytes is kept.</Note>}
    </Card>
  )
}
