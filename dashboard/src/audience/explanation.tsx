import { keyed } from '../ui/keyed.ts'
import { Mark } from '../ui/mark.tsx'
import styles from './explanation.module.css'

/** A condition, or several, with whether it holds. */
export type Explained = {
  readonly holds: boolean
  readonly all?: readonly Explained[]
  readonly any?: readonly Explained[]
  readonly not?: Explained
  readonly condition?: string
  readonly has?: string
  readonly segment?: Explained
}

/** Conditions as a tree, each with whether it holds for a person and what the person has. */
export function Explanation({ of }: { of: Explained }) {
  return (
    <ul className={styles.tree}>
      <Condition of={of} />
    </ul>
  )
}

function Condition({ of: { holds, all, any, not, condition, has, segment } }: { of: Explained }) {
  const parts = all ?? any ?? (not ? [not] : segment ? [segment] : [])
  const words = condition ?? (all ? 'All of these' : any ? 'One of these' : 'Not this')
  return (
    <li>
      <Mark family={holds ? 'sent' : 'held'}>
        {words}
        <span className={styles.hidden}>: {holds ? 'holds' : 'does not hold'}</span>
      </Mark>
      {has !== undefined && <span className={styles.rule}>The person has: {has}</span>}
      {parts.length > 0 && (
        <ul className={styles.tree}>
          {keyed(parts, (part) => part.condition ?? '').map(({ entry, key }) => (
            <Condition key={key} of={entry} />
          ))}
        </ul>
      )}
    </li>
  )
}
