import { Figures } from '../../canvas/step-parts.tsx'
import { figuresOf, type Outline, type Standing, standingOf } from '../../canvas/words.ts'
import { Button } from '../../ui/button.tsx'
import styles from './flow-steps.module.css'
import { RateFacts } from './rates.tsx'

type VariantsProps = { outline: Outline; standing: Standing | undefined; onOpen: (step: string) => void }

/** The messages of a campaign side by side, each with its share and its figures. */
export function Variants({ outline, standing, onOpen }: VariantsProps) {
  const shares = new Map(outline.starts.map(({ next, words }) => [next, words]))
  return (
    <div className={styles.variants}>
      {outline.steps.map((step) => {
        const rates = standing && standingOf(standing, step.id)?.rates
        return (
          <section key={step.id} className={styles.variant} aria-label={step.name}>
            <h3>
              <span dir="auto">{step.name}</span>
              <span className={styles.share}>{shares.get(step.id)}</span>
            </h3>
            <p dir="auto">{step.sentence}</p>
            <Figures figures={figuresOf(step, standing).filter(({ family }) => family !== undefined)} />
            {rates && <RateFacts rates={rates} />}
            <div>
              <Button onClick={() => onOpen(step.id)}>More about it</Button>
            </div>
          </section>
        )
      })}
    </div>
  )
}
