import { useQuery } from '@tanstack/react-query'
import { flowShapes } from '../../api/flow-shapes.ts'
import { getAdminHeadsSubscriptionGroups } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { PhoneView } from '../../frame/phone-view.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { TextArea } from '../../ui/form.tsx'
import { AtPath } from './at-path.tsx'
import styles from './email-form.module.css'
import { LineField, OtherMembers, WordField } from './fields.tsx'
import { flowFields } from './flow-fields.ts'
import { useField, useFlowForm, useText } from './form-context.ts'
import { membersAt } from './members.ts'
import { Problem } from './rows.tsx'

/** The text message of a message: its text, who gets it and whom it comes from, and beside them how a phone shows it. */
export function TextForm({ path }: { path: Path }) {
  const { edits, readOnly } = useFlowForm()
  const { problemBeside } = useField(path)
  const text = membersAt(edits.document, path)
  const body = useText([...path, 'body'])
  const beside = problemBeside([...flowFields.flow_text, ...Object.keys(text)].map((member) => [...path, member]))
  return (
    <div className={styles.frame}>
      <div className={styles.email}>
        <div className={styles.fields} data-path={formatPath(path)}>
          <Problem text={beside} />
          <AtPath path={[...path, 'body']}>
            <TextArea
              label="Text"
              hint="It may have Liquid. A long text is sent in several segments, and each is paid for."
              rows={6}
              value={body.text}
              problem={body.problem}
              readOnly={readOnly !== undefined}
              onChange={(next) => body.set(next === '' ? undefined : next)}
            />
          </AtPath>
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
          <PhoneView text={body.text} from={typeof text.from === 'string' ? text.from : null} />
        </div>
      </div>
    </div>
  )
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
