import type { ReactNode } from 'react'
import type { PostAdminApplyReply } from '../../api/generated.ts'
import { type Difference, differencesOf } from './differences.ts'
import styles from './settings.module.css'

type Change = PostAdminApplyReply['changes'][number]

/** What a file would change, in words. `children`: the button that does it. */
export function PlanList({
  plan: { workspace, changes },
  children,
}: {
  plan: PostAdminApplyReply
  children: ReactNode
}) {
  const makes = changes.filter(({ action, member }) => action === 'create' && member !== 'settings').length
  return (
    <section className={styles.plan} aria-label="Plan">
      <h3>
        Plan for the workspace "{workspace.name}": {planSentence(changes.length, makes)}
      </h3>
      {changes.length > 0 && (
        <>
          <ul>
            {changes.map((change) => (
              <li key={`${change.member} ${change.id} ${change.name}`} data-change={change.action}>
                <strong>{titleOf(change)}</strong>
                <Differences differences={differencesIn(change)} />
                {change.notes?.map((note) => (
                  <p key={note} className={styles.hint}>
                    {note}
                  </p>
                ))}
              </li>
            ))}
          </ul>
          {children}
        </>
      )}
    </section>
  )
}

function planSentence(count: number, makes: number): string {
  if (count === 0) return 'nothing would change.'
  const changed = count - makes
  const parts = [...(makes > 0 ? [`${makes} new`] : []), ...(changed > 0 ? [`${changed} changed`] : [])]
  return `${parts.join(', ')}.`
}

function titleOf({ member, name, action }: Change): string {
  const kind = member.replaceAll('_', ' ')
  if (member === 'settings') return `setting ${name}`
  return `${action === 'create' ? 'new' : 'changed'}: ${kind} "${name}"`
}

function differencesIn({ member, action, before, after }: Change): readonly Difference[] {
  if (member === 'settings') return differencesOf({ value: before ?? undefined }, { value: after ?? undefined })
  return action === 'create' ? [] : differencesOf(before, after)
}

function Differences({ differences }: { differences: readonly Difference[] }) {
  if (differences.length === 0) return null
  return (
    <ul className={styles.differences}>
      {differences.map(({ path, kind, before, after }) => (
        <li key={path}>
          {path !== 'value' && <code>{path}</code>} {kind}
          {kind !== 'added' && (
            <>
              {' '}
              <del>{before}</del>
            </>
          )}
          {kind !== 'removed' && (
            <>
              {' '}
              <ins>{after}</ins>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
