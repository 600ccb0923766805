import type { ReactNode } from 'react'
import { formatPath, type Path } from '../../draft/path.ts'
import styles from './flow-forms.module.css'

const focusable = 'input, select, textarea, button, [contenteditable="true"]'

/** Marks the fields of the value at a path, so that a mistake leads to them. */
export function AtPath({ path, children }: { path: Path; children: ReactNode }) {
  return (
    <div className={styles.all} data-path={formatPath(path)}>
      {children}
    </div>
  )
}

/** Puts the focus into the field of a value, or of what it stands in. Returns whether there is one. */
export function focusField(path: Path): boolean {
  for (let length = path.length; length > 0; length--) {
    const at = CSS.escape(formatPath(path.slice(0, length)))
    // Conditions mark their parts themselves.
    const field = document.querySelector(`[data-path="${at}"], [data-part="${at}"]`)
    const input = field?.querySelector<HTMLElement>('[aria-invalid]') ?? field?.querySelector<HTMLElement>(focusable)
    if (!input) continue
    input.closest('details')?.setAttribute('open', '')
    input.scrollIntoView({ block: 'center' })
    input.focus()
    return true
  }
  return false
}
