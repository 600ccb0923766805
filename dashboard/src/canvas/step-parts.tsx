import {
  ArrowDown,
  Clock3,
  FlaskConical,
  type LucideIcon,
  Mail,
  MousePointerClick,
  Split,
  Timer,
  UserRoundPen,
  Webhook,
} from 'lucide-react'
import { Mark } from '../ui/mark.tsx'
import { formatCount } from '../words/numbers.ts'
import styles from './step-parts.module.css'
import { type Figure, figureText, type Step } from './words.ts'

const icons: Readonly<Record<Step['kind'], LucideIcon>> = {
  message: Mail,
  delay: Timer,
  decision: Split,
  paths: Split,
  action_paths: MousePointerClick,
  experiment: FlaskConical,
  update_user: UserRoundPen,
  webhook: Webhook,
}

/** The class of words for readers of the screen, where others see an icon. */
export const heardClass = styles.heard

export function StepIcon({ kind }: { kind: Step['kind'] }) {
  const Icon = icons[kind] ?? Clock3
  return <Icon size={16} className={styles.icon} aria-hidden />
}

/** The counts of a step, each with its icon. Their words are in the tooltip. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <span className={styles.figures}>
      {figures.map((figure) => (
        <span key={figure.words} title={figureText(figure)}>
          {figure.family === undefined ? (
            <span className={styles.passed}>
              <ArrowDown size={14} aria-hidden />
              {formatCount(figure.count)}
            </span>
          ) : (
            <Mark family={figure.family}>{formatCount(figure.count)}</Mark>
          )}
          <span className={styles.heard}> {figure.words}</span>
        </span>
      ))}
    </span>
  )
}
