import { useEffect, useState } from 'react'
import { root } from '../../api/call.ts'
import { sentenceIn } from '../../api/errors.ts'
import { useReason } from '../../frame/permit.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Note } from '../../ui/facts.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { formatBytes, formatCount } from '../../words/numbers.ts'
import styles from './texts.module.css'
import type { Preview } from './use-preview.ts'

const forms = [
  { key: 'wide', label: 'Wide' },
  { key: 'narrow', label: '360 px' },
  { key: 'text', label: 'Text' },
  { key: 'dark', label: 'Dark' },
] as const
type Form = (typeof forms)[number]['key']

type PreviewPaneProps = {
  preview: Preview
  ability: string
  /** Whether there is a plain text beside the HTML. */
  hasText: boolean
}

/** What a person would get, beside the texts. After a mistake the last good preview stays, and says so. */
export function PreviewPane({ preview, ability, hasText }: PreviewPaneProps) {
  const [form, setForm] = useState<Form>('wide')
  const reason = useReason(ability)
  const { reply, good, error, isBehind, retry } = preview
  const shown = forms.filter(({ key }) => key !== 'text' || hasText)
  return (
    <section className={styles.preview} aria-label="Preview" aria-busy={isBehind}>
      <fieldset className={styles.bar}>
        <legend className={styles.hidden}>Form of the preview</legend>
        {shown.map(({ key, label }) => (
          <Button key={key} aria-pressed={form === key} onClick={() => setForm(key)}>
            {label}
          </Button>
        ))}
      </fieldset>
      {reason !== undefined && <Note>{reason}</Note>}
      {reason === undefined && !reply && !error && <LoadingRows what="the preview" />}
      {error && (
        <div className={styles.problem} role="alert">
          {sentenceIn(error)} <Button onClick={retry}>Try again</Button>
        </div>
      )}
      {good && form !== 'text' && good.html_url !== null && <Frames path={good.html_url} form={form} />}
      {good && form === 'text' && <CodeBlock label="The text of the mail">{good.text ?? ''}</CodeBlock>}
      {reply && (
        <p className={styles.outcome} role="status" data-outcome={isBehind ? 'behind' : reply.outcome}>
          {reply.sentence}
          {reply.outcome !== 'rendered' && good && ' Above is the last good preview.'}
          {reply.bytes !== null && ` ${formatBytes(reply.bytes)}, ${formatCount(reply.ms)} ms.`}
        </p>
      )}
      {reply && reply.warnings.length > 0 && (
        <ul className={styles.warnings}>
          {reply.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** The page of the preview in a sandbox. The old page stays until the new one is loaded, so that typing does not flicker. */
function Frames({ path, form }: { path: string; form: Form }) {
  const url = `${root}${path.slice(1)}${form === 'dark' ? '&dark=true' : ''}`
  const [shown, setShown] = useState(url)
  const [isLoaded, setIsLoaded] = useState(false)
  useEffect(() => {
    if (!isLoaded) setShown(url)
  }, [url, isLoaded])
  const urls = shown === url ? [url] : [shown, url]
  const look = [styles.page, form === 'narrow' ? styles.narrow : '', form === 'dark' ? styles.dark : ''].join(' ')
  return (
    <div className={styles.desk}>
      {urls.map((one) => (
        <iframe
          key={one}
          className={one === shown ? look : styles.coming}
          title={one === shown ? 'The preview' : 'The next preview'}
          aria-hidden={one !== shown}
          tabIndex={one === shown ? 0 : -1}
          src={one}
          sandbox=""
          referrerPolicy="no-referrer"
          onLoad={() => {
            setIsLoaded(true)
            setShown(url)
          }}
        />
      ))}
    </div>
  )
}
