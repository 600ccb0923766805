import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path, valueAt } from '../../draft/path.ts'
import { CheckField } from '../../ui/form.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { AtPath } from './at-path.tsx'
import styles from './email-form.module.css'
import { HeadersField } from './email-headers.tsx'
import { LineField, OtherMembers } from './fields.tsx'
import { useField, useFlowForm } from './form-context.ts'
import { ListRows, Problem } from './rows.tsx'

const members = ['attachments', 'headers', 'extras', 'bcc', 'should_inline_css'] as const

/** What few mails need: attachments, headers, arguments for the mail provider. It is open when there is something in it. */
export function EmailMore({ path }: { path: Path }) {
  const { edits, mistakes } = useFlowForm()
  const isUsed = members.some((member) => valueAt(edits.document, [...path, member]) !== undefined)
  const isWrong = members.some((member) => problemAt(mistakes, [...path, member]) !== undefined)
  return (
    <details className={styles.more} open={isUsed || isWrong || undefined}>
      <summary>Attachments, headers and more</summary>
      <div className={styles.fields}>
        <Attachments path={[...path, 'attachments']} />
        <HeadersField path={[...path, 'headers']} />
        <LineField
          path={[...path, 'bcc']}
          label="Blind copy to"
          hint="One of the addresses that the settings of the workspace allow."
        />
        <ExtrasField path={[...path, 'extras']} />
        <InlineCss path={[...path, 'should_inline_css']} />
        <OtherMembers path={path} of="flow_email" />
      </div>
    </details>
  )
}

function Attachments({ path }: { path: Path }) {
  return (
    <fieldset className={styles.group} data-path={formatPath(path)}>
      <legend className={styles.label}>Attachments</legend>
      <ListRows path={path} name="attachment" add="Add an attachment" begin={{ file_name: '' }}>
        {(at) => (
          <>
            <div className={styles.grid}>
              <LineField path={[...at, 'file_name']} label="Name of the file" />
              <LineField path={[...at, 'url']} label="Address" placeholder="https://" />
              <LineField path={[...at, 'basic_auth_credential']} label="Credential" placeholder="none" />
            </div>
            <OtherMembers path={at} of="flow_attachment" />
          </>
        )}
      </ListRows>
    </fieldset>
  )
}

function ExtrasField({ path }: { path: Path }) {
  const { value, problem, set } = useField(path)
  return (
    <AtPath path={path}>
      <JsonField
        label="Extras"
        hint="Texts, numbers and booleans by name, which are passed on to the mail provider."
        rows={3}
        read={parseExactly}
        value={value ?? {}}
        problem={problem}
        onChange={(next) => set(isEmptyObject(next) ? undefined : next)}
      />
    </AtPath>
  )
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function InlineCss({ path }: { path: Path }) {
  const { value, problem, set } = useField(path)
  return (
    <AtPath path={path}>
      <CheckField
        label="Write styles into the elements"
        hint="For mail programs that ignore style sheets."
        checked={value === true}
        onChange={(isOn) => set(isOn ? true : undefined)}
      />
      <Problem text={problem} />
    </AtPath>
  )
}
