import { Bell } from 'lucide-react'
import styles from './push-view.module.css'

/** What a device shows of a push. Pictures are named and not loaded: their address may be one that counts who looks. */
export type ShownPush = {
  readonly title?: string | undefined
  readonly text: string
  readonly url?: string | undefined
  readonly icon?: string | undefined
  readonly image?: string | undefined
  readonly badge?: number | undefined
}

type PushViewProps = { channel: string; push: ShownPush }

/** A push as a browser shows it, or the locked screen of a phone. */
export function PushView({ channel, push }: PushViewProps) {
  const isBrowser = channel === 'web_push'
  const { title, text, url, icon, image, badge } = push
  const facts = [
    url === undefined ? 'A click opens the page or the app.' : `A click opens ${url}`,
    ...(icon === undefined ? [] : [`Picture: ${icon}`]),
    ...(image === undefined ? [] : [`Large picture: ${image}`]),
    ...(badge === undefined ? [] : [`Number on the icon: ${badge}`]),
  ]
  return (
    <section aria-label={isBrowser ? 'The push in a browser' : 'The push on a phone'}>
      <div className={isBrowser ? styles.browser : styles.phone}>
        <div className={styles.push}>
          <span className={styles.icon}>
            <Bell size={16} aria-hidden />
          </span>
          <p className={styles.source}>{isBrowser ? 'your site' : 'Your app'}</p>
          {title !== undefined && title !== '' && (
            <p className={styles.title} dir="auto">
              {title}
            </p>
          )}
          <p className={styles.body} dir="auto">
            {text === '' ? 'No text yet' : text}
          </p>
        </div>
      </div>
      <ul className={styles.facts}>
        {facts.map((fact) => (
          <li key={fact} dir="auto">
            {fact}
          </li>
        ))}
      </ul>
    </section>
  )
}

type KeptMail = { readonly text: string | null; readonly details?: unknown }

/** A push that was kept, made anew, or rendered for a preview. */
export function KeptPush({ channel, mail: { text, details } }: { channel: string; mail: KeptMail }) {
  return <PushView channel={channel} push={{ ...(details as Omit<ShownPush, 'text'>), text: text ?? '' }} />
}
