import { flowShapes } from '../../api/flow-shapes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { PushView } from '../../frame/push-view.tsx'
import { CheckField, TextArea } from '../../ui/form.tsx'
import { AtPath } from './at-path.tsx'
import type { PushName } from './channel-names.ts'
import styles from './email-form.module.css'
import { LineField, NumberField, OtherMembers } from './fields.tsx'
import { flowFields } from './flow-fields.ts'
import { useField, useFlowForm, useText } from './form-context.ts'
import { membersAt } from './members.ts'
import { Problem } from './rows.tsx'

type PushFormProps = { channel: PushName; path: Path }

/** The push of a message: its texts and what a click opens, and beside them how a phone shows it. */
export function PushForm({ channel, path }: PushFormProps) {
  const { edits, readOnly } = useFlowForm()
  const { problemBeside } = useField(path)
  const shape = `flow_${channel}` as const
  const push = membersAt(edits.document, path)
  const alert = useText([...path, 'alert'])
  const title = useText([...path, 'title'])
  const beside = problemBeside([...flowFields[shape], ...Object.keys(push)].map((member) => [...path, member]))
  const text = (member: string) => (typeof push[member] === 'string' ? push[member] : undefined)
  return (
    <div className={styles.frame}>
      <div className={styles.email}>
        <div className={styles.fields} data-path={formatPath(path)}>
          <Problem text={beside} />
          <LineField path={[...path, 'title']} label="Title" hint="Empty: the text alone is shown." />
          <AtPath path={[...path, 'alert']}>
            <TextArea
              label="Text"
              hint="It may have Liquid. Phones show two to four lines."
              rows={4}
              value={alert.text}
              problem={alert.problem}
              readOnly={readOnly !== undefined}
              onChange={(next) => alert.set(next === '' ? undefined : next)}
            />
          </AtPath>
          <LineField
            path={[...path, 'custom_uri']}
            label="A click opens"
            hint="An address such as https://example.com/offers, or one of your app."
          />
          <LineField path={[...path, 'image_url']} label="Picture" hint="The address of a picture beside the text." />
          {channel === 'web_push' && (
            <LineField path={[...path, 'large_image_url']} label="Large picture" hint="Not every browser shows it." />
          )}
          {channel === 'apple_push' && (
            <NumberField path={[...path, 'badge']} label="Number on the icon" of={flowShapes.flow_apple_push.badge} />
          )}
          <RecentField path={[...path, 'send_to_most_recent_device_only']} />
          <OtherMembers path={path} of={shape} />
        </div>
        <div className={styles.side}>
          <PushView
            push={{
              ...{ title: title.text, text: alert.text, url: text('custom_uri') },
              ...{ icon: text('image_url'), image: text('large_image_url') },
              badge: typeof push.badge === 'number' ? push.badge : undefined,
            }}
          />
        </div>
      </div>
    </div>
  )
}

/** Whether only one device of a person gets it. */
function RecentField({ path }: { path: Path }) {
  const { value, set } = useField(path)
  return (
    <AtPath path={path}>
      <CheckField
        label="Only the device that was used last"
        checked={value === true}
        onChange={(next) => set(next ? true : undefined)}
      />
    </AtPath>
  )
}
