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
import { type Figure, figureText, figureWords, type Step } from './words.ts'

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

/**
 * The counts of a step, each with its icon. Their words are in the tooltip. `isDrawn`: the lines beside the step show how many went on, so
 * that only readers of the screen hear it.
 */
export function Figures({ figures, isDrawn = false }: { figures: readonly Figure[]; isDrawn?: boolean }) {
  return (
    <span className={styles.figures}>
      {figures.map((figure) =>
        isDrawn && figure.family === undefined ? (
          <span key={figure.words} className={styles.heard}>
            {figureText(figure)}
          </span>
        ) : (
          <span key={figure.words} title={figureText(figure)}>
            <Counted family={figure.family}>{formatCount(figure.count)}</Counted>
            <span className={styles.heard}> {figure.words}</span>
          </span>
        ),
      )}
    </span>
  )
}

function Counted({ family, children }: { family: Figure['family']; children: string }) {
  if (family !== undefined) return <Mark family={family}>{children}</Mark>
  return (
    <span className={styles.passed}>
      <ArrowDown size={14} aria-hidden />
      {children}
    </span>
  )
}

/** What the icons of the counts mean. `families`: those that are explained. */
export function FigureLegend({ families }: { families: readonly Figure['family'][] }) {
  return (
    <ul className={styles.legend} aria-label="What the counts mean">
      {families.map((family) => (
        <li key={figureWords(family)}>
          <Counted family={family}>{figureWords(family)}</Counted>
        </li>
      ))}
    </ul>
  )
}
