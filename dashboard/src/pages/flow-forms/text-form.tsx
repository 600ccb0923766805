import { useQuery } from '@tanstack/react-query'
import { flowShapes } from '../../api/flow-shapes.ts'
import { getAdminHeadsSubscriptionGroups } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { PhoneView } from '../../frame/phone-view.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { hasLiquidIn, MessagePane } from '../texts/message-pane.tsx'
import { PersonPicker, useChosenPerson } from '../texts/person-picker.tsx'
import { SendTextTest } from '../texts/send-message-test.tsx'
import { insertMenus } from '../texts/text-field.tsx'
import { useNames } from '../texts/use-names.ts'
import { usePreview } from '../texts/use-preview.ts'
import styles from './email-form.module.css'
import { LineField, OtherMembers, WordField } from './fields.tsx'
import { flowFields } from './flow-fields.ts'
import { useField, useFlowForm, useText } from './form-context.ts'
import { LiquidText } from './liquid-text.tsx'
import { type Members, membersAt } from './members.ts'
import { Problem } from './rows.tsx'

const ability = 'messages.test'

/** The text message of a message: its text, who gets it and whom it comes from, and beside them how a phone shows it. */
export function TextForm({ path }: { path: Path }) {
  const { edits } = useFlowForm()
  const { problemBeside } = useField(path)
  const message = membersAt(edits.document, path)
  const { text } = useText([...path, 'body'])
  const names = useNames()
  const { person, choose } = useChosenPerson()
  const isEmpty = text.trim() === ''
  const hasLiquid = hasLiquidIn(text)
  const from = typeof message.from === 'string' && message.from !== '' ? message.from : undefined
  const shown = { channel: 'sms', message: textOf(message), ...(person && { person: person.id }) }
  const preview = usePreview(shown, ability, isEmpty)
  const mistakes = isEmpty ? [] : preview.mistakes
  const beside = problemBeside([...flowFields.flow_text, ...Object.keys(message)].map((member) => [...path, member]))
  return (
    <div className={styles.frame}>
      <div className={styles.email}>
        <div className={styles.fields} data-path={formatPath(path)}>
          <Problem text={beside} />
          <LiquidText
            {...{ path, member: 'body', label: 'Text', names, mistakes }}
            hint="A long text is sent in several segments, and each is paid for."
            inserts={(insert) => insertMenus(names, insert)}
          />
          <GroupField path={[...path, 'subscription_group_id']} />
          <LineField
            path={[...path, 'from']}
            label="From"
            hint="A phone number, a short code or a name. Empty: the sender of the group or of the workspace."
            of={flowShapes.flow_text.from}
          />
          <OtherMembers path={path} of="flow_text" />
        </div>
        <div className={styles.side}>
          <div className={styles.bar}>
            <PersonPicker person={person} onChoose={choose} />
            <SendTextTest body={shown} empty={isEmpty ? 'There is no text yet.' : undefined} />
          </div>
          <MessagePane {...{ preview, ability, isEmpty, hasLiquid }} fields={['body']}>
            {(rendered) => (
              <PhoneView
                text={hasLiquid ? (rendered?.text ?? text) : text}
                from={from ?? rendered?.from ?? null}
                isRendered={!hasLiquid || rendered !== undefined}
              />
            )}
          </MessagePane>
        </div>
      </div>
    </div>
  )
}

/** Returns the members of a text that a preview knows. An empty one counts as absent, as it does for the server. Pure. */
function textOf(message: Members): Members {
  const given = flowFields.flow_text.flatMap((name) => {
    const text = message[name]
    return typeof text === 'string' && text !== '' ? [[name, text] as const] : []
  })
  return Object.fromEntries(given)
}

/** The group whose members get the text. */
function GroupField({ path }: { path: Path }) {
  const { workspace, may } = useViewer()
  const mayRead = may('subscription_groups.read')
  const read = useQuery({ ...reading(getAdminHeadsSubscriptionGroups({ workspace: workspace.id })), enabled: mayRead })
  if (!mayRead || read.isError) return <LineField path={path} label="Group" />
  const groups = (read.data?.subscription_groups ?? []).filter(
    ({ channel, archived }) => channel === 'sms' && !archived,
  )
  const none = read.isPending
    ? 'One moment'
    : groups.length === 0
      ? 'There is no group for text messages yet'
      : 'Choose a group'
  const choices = [{ value: '', label: none }, ...groups.map(({ id, name }) => ({ value: id, label: name }))]
  return <WordField path={path} label="Group" choices={choices} otherwise="" />
}
