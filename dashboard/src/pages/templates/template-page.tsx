import { useQuery } from '@tanstack/react-query'
import { getAdminEmailTemplatesId, getAdminHeadsEmailTemplates } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card, Facts } from '../../ui/facts.tsx'

/** One template: its texts, and what uses it. */
export function TemplatePage() {
  const { workspace } = useViewer()
  return (
    <ThingPage
      list={{ title: 'Templates', one: 'template', path: paths.templates(workspace.id) }}
      operation={getAdminHeadsEmailTemplates({ workspace: workspace.id })}
      headsOf={({ email_templates }) => email_templates}
      sentence={({ subject }) => `Subject: ${subject}`}
    >
      {(template) => (
        <>
          <Card title="What it is">
            <Facts
              facts={[
                ...(template.description === '' ? [] : [{ name: 'Description', value: template.description }]),
                ...(template.tags.length === 0 ? [] : [{ name: 'Tags', value: template.tags.join(', ') }]),
                { name: 'Used by', value: <UsedBy users={template} /> },
                { name: 'Changed', value: <Moment at={template.updated_at} full /> },
              ]}
            />
          </Card>
          <Texts id={template.id} />
        </>
      )}
    </ThingPage>
  )
}

function Texts({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminEmailTemplatesId(id, { workspace: workspace.id })))
  if (read.data === undefined) return <NoAnswer read={read} what="the texts" />
  const { preheader, body, plaintext_body } = read.data.email_template
  return (
    <>
      {preheader !== undefined && (
        <Card title="Preheader">
          <CodeBlock label="The preheader">{preheader}</CodeBlock>
        </Card>
      )}
      <Card title="HTML">
        <CodeBlock label="The HTML">{body}</CodeBlock>
      </Card>
      {plaintext_body !== undefined && (
        <Card title="Plain text">
          <CodeBlock label="The plain text">{plaintext_body}</CodeBlock>
        </Card>
      )}
    </>
  )
}
