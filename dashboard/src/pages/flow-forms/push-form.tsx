import { flowShapes } from '../../api/flow-shapes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { KeptPush, PushView } from '../../frame/push-view.tsx'
import { CheckField } from '../../ui/form.tsx'
import { hasLiquidIn, MessagePane } from '../texts/message-pane.tsx'
import { PersonPicker, useChosenPerson } from '../texts/person-picker.tsx'
import { SendPushTest } from '../texts/send-message-test.tsx'
import { insertMenus } from '../texts/text-field.tsx'
import { useNames } from '../texts/use-names.ts'
import { usePreview } from '../texts/use-preview.ts'
import { AtPath } from './at-path.tsx'
import type { PushName } from './channel-names.ts'
import styles from './email-form.module.css'
import { LineField, NumberField, OtherMembers } from './fields.tsx'
import { flowFields } from './flow-fields.ts'
import { useField, useFlowForm } from './form-context.ts'
import { LiquidText } from './liquid-text.tsx'
import { type Members, membersAt } from './members.ts'
import { Problem } from './rows.tsx'

type PushFormProps = { channel: PushName; path: Path }

const ability = 'messages.test'

/** The push of a message: its texts and what a click opens, and beside them how a phone or a browser shows it. */
export function PushForm({ channel, path }: PushFormProps) {
  const { edits } = useFlowForm()
  const { problemBeside } = useField(path)
  const shape = `flow_${channel}` as const
  const push = membersAt(edits.document, path)
  const names = useNames()
  const { person, choose } = useChosenPerson()
  const isEmpty = textIn(push, 'alert').trim() === ''
  const shown = { channel, message: givenMembers(push), ...(person && { person: person.id }) }
  const preview = usePreview(shown, ability, isEmpty)
  const mistakes = isEmpty ? [] : preview.mistakes
  const hasLiquid = hasLiquidIn(push)
  const beside = problemBeside([...flowFields[shape], ...Object.keys(push)].map((member) => [...path, member]))
  return (
    <div className={styles.frame}>
      <div className={styles.email}>
        <div className={styles.fields} data-path={formatPath(path)}>
          <Problem text={beside} />
          <LiquidText
            {...{ path, member: 'title', label: 'Title', names, mistakes, hint: 'Empty: the text alone is shown.' }}
            isOneLine
          />
          <LiquidText
            {...{ path, member: 'alert', label: 'Text', names, mistakes, hint: 'Phones show two to four lines.' }}
            isShort
            inserts={(insert) => insertMenus(names, insert)}
          />
          <OtherFields channel={channel} path={path} />
        </div>
        <div className={styles.side}>
          <div className={styles.bar}>
            <PersonPicker person={person} onChoose={choose} />
            <SendPushTest body={shown} empty={isEmpty ? 'There is no text yet.' : undefined} person={person} />
          </div>
          <MessagePane {...{ preview, ability, isEmpty, hasLiquid }} fields={['title', 'alert']}>
            {(rendered) =>
              hasLiquid && rendered ? (
                <KeptPush channel={channel} mail={rendered} />
              ) : (
                <PushView channel={channel} push={writtenPush(push)} />
              )
            }
          </MessagePane>
        </div>
      </div>
    </div>
  )
}

function OtherFields({ channel, path }: PushFormProps) {
  return (
    <>
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
      <OtherMembers path={path} of={`flow_${channel}`} />
    </>
  )
}

function textIn(push: Members, member: string): string {
  return typeof push[member] === 'string' ? push[member] : ''
}

/** Returns the members that have a value: an empty text counts as absent, as it does for the server. Pure. */
function givenMembers(push: Members): Members {
  return Object.fromEntries(Object.entries(push).filter(([, value]) => value !== '' && value !== null))
}

/** Returns a push as it is written, before a server has rendered it. Pure. */
function writtenPush(push: Members) {
  const text = (member: string) => (typeof push[member] === 'string' ? push[member] : undefined)
  return {
    ...{ title: text('title'), text: textIn(push, 'alert'), url: text('custom_uri') },
    ...{ icon: text('image_url'), image: text('large_image_url') },
    badge: typeof push.badge === 'number' ? push.badge : undefined,
  }
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
