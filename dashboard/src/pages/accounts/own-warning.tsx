import { useState } from 'react'
import { CallError } from '../../api/errors.ts'
import { CheckField } from '../../ui/form.tsx'
import styles from './accounts.module.css'

/** What a form needs when the server asks whether one means to change one's own account. */
export type ConfirmOwn = {
  readonly isAsked: boolean
  readonly isConfirmed: boolean
  readonly confirm: (isConfirmed: boolean) => void
  readonly confirmation: { readonly confirm_own?: true }
  readonly reason: string | undefined
  readonly submit: (word: string) => string
}

/** Follows the answers of the server: it refuses such a change with 409 until it is confirmed. */
export function useConfirmOwn(error: unknown): ConfirmOwn {
  const [isConfirmed, confirm] = useState(false)
  const isAsked = error instanceof CallError && error.status === 409 && error.message.includes('your own account')
  return {
    isAsked,
    isConfirmed,
    confirm,
    confirmation: isConfirmed ? { confirm_own: true } : {},
    reason: isAsked && !isConfirmed ? 'Confirm that you mean your own account first.' : undefined,
    submit: (word) => (isAsked ? `${word} all the same` : word),
  }
}

export function OwnWarning({ own: { isAsked, isConfirmed, confirm } }: { own: ConfirmOwn }) {
  if (!isAsked && !isConfirmed) return null
  return (
    <div className={styles.warning}>
      <CheckField label="I mean my own account." checked={isConfirmed} onChange={confirm} />
    </div>
  )
}
