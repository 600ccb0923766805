import { CircleCheck, CircleDashed, CircleMinus, CircleQuestionMark, Clock, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Family } from './family.ts'
import styles from './mark.module.css'

export type { Family } from './family.ts'

const icons = {
  sent: CircleCheck,
  waiting: Clock,
  held: CircleMinus,
  control: CircleDashed,
  failed: TriangleAlert,
  uncertain: CircleQuestionMark,
} as const

/** A word with the icon and the colour of its family. */
export function Mark({ family, children }: { family: Family; children: ReactNode }) {
  const Icon = icons[family]
  return (
    <span className={`${styles.mark} ${styles[family]}`}>
      <Icon size={16} aria-hidden />
      <span>{children}</span>
    </span>
  )
}
