import type { ReactNode } from 'react'
import styles from './facts.module.css'

export type Fact = { readonly name: string; readonly value: ReactNode }

/** A part of a page, with its heading. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.card} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Names with their values. `empty` is shown when there are none. */
export function Facts({ facts, empty }: { facts: readonly Fact[]; empty?: string }) {
  if (facts.length === 0 && empty !== undefined) return <Note>{empty}</Note>
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <div key={name} className={styles.fact}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A sentence in a card, such as why it is empty. */
export function Note({ children }: { children: ReactNode }) {
  return <p className={styles.note}>{children}</p>
}
