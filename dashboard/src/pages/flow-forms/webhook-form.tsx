import { flowShapes } from '../../api/flow-shapes.ts'
import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { RequestView } from '../../frame/request-view.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { hasLiquidIn, MessagePane } from '../texts/message-pane.tsx'
import { PersonPicker, useChosenPerson } from '../texts/person-picker.tsx'
import { SendCallTest } from '../texts/send-message-test.tsx'
import { usePreview } from '../texts/use-preview.ts'
import { AtPath } from './at-path.tsx'
import layout from './email-form.module.css'
import { ChoiceOf, LineField, OtherMembers } from './fields.tsx'
import { flowFields } from './flow-fields.ts'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { HeadersForm } from './headers-form.tsx'
import { type Members, membersAt } from './members.ts'
import { Problem } from './rows.tsx'

const webhook = flowShapes.webhook_step
const methods = { GET: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' }

const ability = 'messages.test'

/** What a webhook calls and sends there, and beside it the request as a server gets it. */
export function WebhookFields({ path }: { path: Path }) {
  return (
    <div className={layout.frame}>
      <div className={layout.email}>
        <div className={layout.fields}>
          <RequestFields path={path} />
        </div>
        <RequestSide path={path} />
      </div>
    </div>
  )
}

/** The request as it is rendered for a person, without its secrets, and a button that calls the server once. */
function RequestSide({ path }: { path: Path }) {
  const { edits } = useFlowForm()
  const { person, choose } = useChosenPerson()
  const message = requestOf(membersAt(edits.document, path))
  const { url } = message
  const isEmpty = typeof url !== 'string' || url.trim() === ''
  const shown = { channel: 'webhook', message, ...(person && { person: person.id }) }
  const preview = usePreview(shown, ability, isEmpty)
  const method = typeof message.method === 'string' ? message.method : webhook.method.preset
  return (
    <div className={layout.side}>
      <div className={layout.bar}>
        <PersonPicker person={person} onChoose={choose} />
        <SendCallTest
          {...{ body: shown, method, url: String(url ?? '') }}
          empty={isEmpty ? 'There is no URL yet.' : undefined}
        />
      </div>
      <MessagePane {...{ preview, ability, isEmpty }} hasLiquid={hasLiquidIn(message)} fields={[]}>
        {(rendered) =>
          rendered ? <RequestView kept={rendered} /> : <p>The request is shown here when it has a URL.</p>
        }
      </MessagePane>
    </div>
  )
}

/** Returns the members of a webhook that a preview knows. Null counts as absent. Pure. */
function requestOf(message: Members): Members {
  const members = ['url', 'method', 'headers', 'body']
  return Object.fromEntries(Object.entries(message).filter(([name, value]) => members.includes(name) && value !== null))
}

function RequestFields({ path }: { path: Path }) {
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
