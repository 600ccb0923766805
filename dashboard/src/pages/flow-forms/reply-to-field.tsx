import { formatPath, type Path } from '../../draft/path.ts'
import { CheckField, TextField } from '../../ui/form.tsx'
import styles from './email-form.module.css'
import { useText } from './form-context.ts'

const noReplyTo = 'NO_REPLY_TO'

/** Where answers go: an address, that of the workspace, or nowhere else than to the sender. */
export function ReplyToField({ path }: { path: Path }) {
  const { text, problem, set } = useText(path)
  const isOff = text === noReplyTo
  return (
    <div className={styles.fields} data-path={formatPath(path)}>
      <TextField
        label="Reply to"
        placeholder={isOff ? 'the sender' : 'as the workspace has it'}
        readOnly={isOff}
        value={isOff ? '' : text}
        problem={problem}
        onChange={(next) => set(next === '' ? undefined : next)}
      />
      <CheckField
        label="Answers go to the sender"
        checked={isOff}
        onChange={(isOn) => set(isOn ? noReplyTo : undefined)}
      />
    </div>
  )
}
