import { useState } from 'react'
import { flowShapes } from '../../api/flow-shapes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { TextField } from '../../ui/form.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { InsertImage } from '../texts/insert-image.tsx'
import { PersonPicker, useChosenPerson } from '../texts/person-picker.tsx'
import { PreviewPane } from '../texts/preview-pane.tsx'
import { SendTest } from '../texts/send-test.tsx'
import { insertMenus, LiquidField } from '../texts/text-field.tsx'
import { useNames } from '../texts/use-names.ts'
import { usePreview } from '../texts/use-preview.ts'
import { AppField } from './app-field.tsx'
import { AtPath } from './at-path.tsx'
import { besidePreview } from './beside-preview.ts'
import styles from './email-form.module.css'
import { EmailMore } from './email-more.tsx'
import { flowFields } from './flow-fields.ts'
import { useField, useFlowForm, useText } from './form-context.ts'
import { LiquidText } from './liquid-text.tsx'
import { membersAt } from './members.ts'
import { mailOf } from './preview-mail.ts'
import { ReplyToField } from './reply-to-field.tsx'
import { Problem } from './rows.tsx'
import { TemplateField } from './template-field.tsx'

type Body = 'body' | 'plaintext_body'
const bodies = [
  { key: 'body', label: 'HTML' },
  { key: 'plaintext_body', label: 'Text' },
] as const

const ability = 'messages.test'

/** The e-mail of a message: who it is from, its texts, and beside them how a person gets it. */
export function EmailForm({ path }: { path: Path }) {
  const { edits, readOnly } = useFlowForm()
  const { problemBeside } = useField(path)
  const email = membersAt(edits.document, path)
  const { person, choose } = useChosenPerson()
  const mail = mailOf(email)
  const shown = { mail, ...(person && { person: person.id }) }
  const preview = usePreview(shown, ability, Object.keys(mail ?? {}).length === 0)
  // Each member shows its own mistakes.
  const beside = problemBeside([...flowFields.flow_email, ...Object.keys(email)].map((member) => [...path, member]))
  const isOff = readOnly !== undefined
  const names = useNames()
  return (
    <div className={styles.frame}>
      <div className={styles.email}>
        <div className={styles.fields}>
          <Problem text={beside} />
          <div className={styles.grid} data-path={formatPath(path)}>
            <AppField path={[...path, 'app_id']} />
            <FromField path={[...path, 'from']} />
            <ReplyToField path={[...path, 'reply_to']} />
            <TemplateField path={path} />
          </div>
          <LiquidText {...{ path, names }} label="Subject" member="subject" mistakes={preview.mistakes} isOneLine />
          <LiquidText {...{ path, names }} label="Preheader" member="preheader" mistakes={preview.mistakes} isOneLine />
          <Bodies {...{ path, names, isOff }} mistakes={preview.mistakes} />
          <EmailMore path={path} />
        </div>
        <div className={styles.side}>
          <div className={styles.bar}>
            <PersonPicker person={person} onChoose={choose} />
            <SendTest body={shown} />
          </div>
          <PreviewPane preview={preview} ability={ability} hasText />
        </div>
      </div>
    </div>
  )
}

function FromField({ path }: { path: Path }) {
  const { text, problem, set } = useText(path)
  return (
    <AtPath path={path}>
      <TextField
        label="From"
        placeholder="Name <address@example.com>"
        aria-required={flowShapes.flow_email.from.required}
        value={text}
        problem={problem}
        onChange={(next) => set(next === '' ? undefined : next)}
      />
    </AtPath>
  )
}

type TextsProps = {
  path: Path
  names: ReturnType<typeof useNames>
  isOff: boolean
  mistakes: ReturnType<typeof usePreview>['mistakes']
}

function Bodies({ path, names, isOff, mistakes }: TextsProps) {
  const [shown, setShown] = useState<Body>('body')
  const html = useText([...path, 'body'])
  const plain = useText([...path, 'plaintext_body'])
  const common = { names, mistakes, readOnly: isOff }
  const field = shown === 'body' ? html : plain
  return (
    <div
      className={styles.text}
      data-wrong={field.problem !== undefined || undefined}
      data-path={formatPath([...path, shown])}
    >
      <Tabs<Body> label="Bodies of the mail" tabs={bodies} selected={shown} onSelect={setShown}>
        <LiquidField
          key={shown}
          {...{ ...common, label: shown === 'body' ? 'HTML' : 'Plain text', text: shown, value: field.text }}
          onChange={(next) => field.set(next === '' ? undefined : next)}
          inserts={(insert) => (
            <>
              {insertMenus(names, insert)}
              {shown === 'body' && <InsertImage insert={insert} />}
            </>
          )}
        />
      </Tabs>
      {bodies.map(({ key, label }) => {
        const found = (key === 'body' ? html : plain).problem
        // The field of the other body is not there to show a mistake itself.
        const problem = key === shown ? besidePreview(found, key, mistakes) : found
        return <Problem key={key} text={problem && `${label}: ${problem}`} />
      })}
    </div>
  )
}
