import { type ReactNode, useState } from 'react'
import { root } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Facts, Note } from '../ui/facts.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { formatBytes } from '../words/numbers.ts'
import styles from './mail-view.module.css'

/** What is shown of a mail. */
export type ShownMail = {
  readonly html_url: string | null
  readonly text: string | null
  readonly headers: { readonly [name: string]: unknown }
  readonly attachments: readonly {
    readonly filename: string | null
    readonly content_type: string
    readonly bytes: number
  }[]
}

type MailViewProps = {
  mail: ShownMail
  /** Reads and shows the source. It is shown only when it is asked for. */
  source: ReactNode
  /** What the decision about the mail has read, where there is one. */
  inputs?: ReactNode
}

const tabs = [
  { key: 'mail', label: 'Mail' },
  { key: 'text', label: 'Text' },
  { key: 'headers', label: 'Headers' },
  { key: 'source', label: 'Source' },
] as const
type TabKey = (typeof tabs)[number]['key'] | 'inputs'

/** A mail in its forms: as a browser shows it, as text, its headers and its source. */
export function MailView({ mail, source, inputs }: MailViewProps) {
  const { html_url, text, headers, attachments } = mail
  const [tab, setTab] = useState<TabKey>(html_url === null ? 'text' : 'mail')
  const all = inputs === undefined ? tabs : [...tabs, { key: 'inputs', label: 'Inputs' } as const]
  return (
    <>
      <Tabs<TabKey> label="Forms of the mail" tabs={all} selected={tab} onSelect={setTab}>
        {tab === 'mail' &&
          (html_url === null ? <Note>The mail has no HTML, only text.</Note> : <MailFrame path={html_url} />)}
        {tab === 'text' &&
          (text === null ? <Note>The mail has no text.</Note> : <CodeBlock label="Text of the mail">{text}</CodeBlock>)}
        {tab === 'headers' && (
          <Facts facts={Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }))} />
        )}
        {tab === 'source' && source}
        {tab === 'inputs' && inputs}
      </Tabs>
      {attachments.length > 0 && (
        <section aria-label="Attachments">
          <Facts
            facts={attachments.map(({ filename, content_type, bytes }) => ({
              name: filename ?? '(no name)',
              value: `${content_type}, ${formatBytes(bytes)}`,
            }))}
          />
        </section>
      )}
    </>
  )
}

/**
 * The HTML of a mail in a sandbox. Its page itself forbids scripts, and anything from elsewhere. Pictures are loaded only on request,
 * because they tell that the mail is looked at.
 */
function MailFrame({ path }: { path: string }) {
  const [isNarrow, setIsNarrow] = useState(false)
  const [pictures, setPictures] = useState(false)
  const url = `${root}${path.slice(1)}${pictures ? '&pictures=true' : ''}`
  return (
    <>
      <div className={styles.choices}>
        <Button aria-pressed={!isNarrow} onClick={() => setIsNarrow(false)}>
          Wide
        </Button>
        <Button aria-pressed={isNarrow} onClick={() => setIsNarrow(true)}>
          360 px
        </Button>
        <Button aria-pressed={pictures} onClick={() => setPictures(!pictures)}>
          Pictures
        </Button>
        <span className={styles.note}>Looking here is neither an open nor a click.</span>
      </div>
      <div className={styles.desk}>
        <iframe
          className={isNarrow ? `${styles.frame} ${styles.narrow}` : styles.frame}
          title="The mail"
          src={url}
          sandbox=""
          referrerPolicy="no-referrer"
        />
      </div>
    </>
  )
}
