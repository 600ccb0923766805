import { flowShapes } from '../../api/flow-shapes.ts'
import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { JsonField } from '../../ui/json-field.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { AtPath } from './at-path.tsx'
import { ChoiceOf, LineField, OtherMembers } from './fields.tsx'
import { flowFields } from './flow-fields.ts'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { HeadersForm } from './headers-form.tsx'
import { membersAt } from './members.ts'
import { Problem } from './rows.tsx'

const webhook = flowShapes.webhook_step
const methods = { GET: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' }

/** What a webhook calls, and what it sends there. */
export function WebhookFields({ path }: { path: Path }) {
  const { edits, mistakes } = useFlowForm()
  const at = (name: string) => [...path, name]
  return (
    <>
      <LineField path={at('url')} label="URL" hint="It may have Liquid." of={webhook.url} />
      <ChoiceOf
        path={at('method')}
        of={webhook.method}
        label="Method"
        labels={methods}
        otherwise={webhook.method.preset}
      />
      <HeadersForm path={at('headers')} />
      <AtPath path={at('body')}>
        <JsonField
          label="Body"
          hint="Text in quotes, or JSON. Each text in it may have Liquid."
          rows={8}
          read={parseExactly}
          value={membersAt(edits.document, path).body ?? null}
          problem={problemAt(mistakes, at('body'))}
          onChange={(value) => edits.set(at('body'), value ?? undefined)}
        />
      </AtPath>
    </>
  )
}

/** The webhook of a message. */
export function WebhookForm({ path }: { path: Path }) {
  const { edits } = useFlowForm()
  const { problemBeside } = useField(path)
  const members = [...flowFields.flow_webhook, ...Object.keys(membersAt(edits.document, path))]
  return (
    <div className={styles.form} data-path={formatPath(path)}>
      <Problem text={problemBeside(members.map((member) => [...path, member]))} />
      <WebhookFields path={path} />
      <OtherMembers path={path} of="flow_webhook" />
    </div>
  )
}
