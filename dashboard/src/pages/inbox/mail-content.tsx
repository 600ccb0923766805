import type { GetAdminInboxIdReply } from '../../api/generated.ts'
import { Moment } from '../../frame/viewer.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import { formatBytes } from '../../words/numbers.ts'

/** A mail as text, with its headers and attachments. */
export function MailContent({ mail }: { mail: GetAdminInboxIdReply }) {
  const { to, from, at, external_id, dispatch_id, bytes, text, html, headers, attachments } = mail
  return (
    <>
      <Card title="Mail">
        <Facts
          facts={[
            { name: 'To', value: to },
            { name: 'From', value: from ?? '-' },
            { name: 'At', value: <Moment at={at} full /> },
            { name: 'Person', value: external_id ?? '-' },
            { name: 'Send', value: dispatch_id ?? '-' },
            { name: 'Size', value: formatBytes(bytes) },
          ]}
        />
      </Card>
      <Card title="Text">
        {text === null ? <Note>The mail has no text.</Note> : <CodeBlock label="Text of the mail">{text}</CodeBlock>}
      </Card>
      {html !== null && (
        <Card title="HTML">
          <CodeBlock label="HTML of the mail">{html}</CodeBlock>
        </Card>
      )}
      {attachments.length > 0 && (
        <Card title="Attachments">
          <Facts
            facts={attachments.map(({ filename, content_type, bytes: size }) => ({
              name: filename ?? '(no name)',
              value: `${content_type}, ${formatBytes(size)}`,
            }))}
          />
        </Card>
      )}
      <Card title="Headers">
        <Facts facts={Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }))} />
      </Card>
    </>
  )
}
