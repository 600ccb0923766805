import { useState } from 'react'
import { kindHints, type StepKind, stepKinds } from '../../canvas/edit/new-step.ts'
import { type Place, stepsMax } from '../../canvas/edit/steps.ts'
import { type Definition, stepById, stepsIn, wayAt } from '../../canvas/edit/ways.ts'
import { StepIcon } from '../../canvas/step-parts.tsx'
import { kindWords } from '../../canvas/words.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ChoiceField } from '../../ui/form.tsx'
import styles from './editor.module.css'
import { targetsOf } from './way-field.tsx'

type AddStepDialogProps = {
  document: Definition
  /** The ways on which a step can be put; the first one is chosen. */
  places: readonly Place[]
  onAdd: (place: Place, kind: StepKind) => void
  onLead: (place: Place, to: string | undefined) => void
  onClose: () => void
}

/** The browser reads the attribute when it shows the dialog. React would set the focus before that, and leave the attribute out. */
function takeFocus(button: HTMLButtonElement | null): void {
  button?.setAttribute('autofocus', '')
}

/** Asks what comes next on a way: a new step of a kind, or a step that is there. A number chooses a kind too. */
export function AddStepDialog({ document, places, onAdd, onLead, onClose }: AddStepDialogProps) {
  const [at, setAt] = useState(0)
  const place = places[at] ?? places[0]!
  const way = wayAt(document, place.from, place.at)
  const from = stepById(document, place.from)
  const name = typeof from?.step.name === 'string' && from.step.name !== '' ? from.step.name : place.from
  const title = `Add after ${name === undefined ? 'the entry' : `"${name}"`}`
  const isFull = stepsIn(document).length >= stepsMax
  const full = isFull ? `A canvas has at most ${stepsMax} steps.` : undefined
  return (
    <Dialog label={title} onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it. */}
      <div
        className={styles.dialog}
        onKeyDown={(event) => {
          const kind = stepKinds[Number(event.key) - 1]
          const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
          if (!kind || isFull || !isPlain || event.target instanceof HTMLSelectElement) return
          // The key would be typed into the field that gets the focus.
          event.preventDefault()
          onAdd(place, kind)
        }}
      >
        <h2 dir="auto">{title}</h2>
        {places.length > 1 && (
          <ChoiceField
            label="On the path"
            value={String(at)}
            options={places.map((each, i) => {
              const path = wayAt(document, each.from, each.at)
              return { value: String(i), label: path?.name || `Path ${i + 1}` }
            })}
            onChange={(next) => setAt(Number(next))}
          />
        )}
        {full !== undefined && <p>{full}</p>}
        <div className={styles.kinds}>
          {stepKinds.map((kind, i) => (
            <button
              key={kind}
              type="button"
              className={styles.kind}
              disabled={isFull}
              ref={i === 0 ? takeFocus : undefined}
              onClick={() => onAdd(place, kind)}
            >
              <span className={styles.kindName}>
                <StepIcon kind={kind} />
                {kindWords[kind]}
              </span>
              <span className={styles.soft}>{kindHints[kind]}</span>
            </button>
          ))}
        </div>
        <ChoiceField
          key={at}
          label="Or lead to a step that is there"
          value={way?.to ?? ''}
          options={targetsOf(document, way?.to).filter(({ value }) => value !== place.from || way?.to === value)}
          onChange={(to) => onLead(place, to === '' ? undefined : to)}
        />
        <div className={styles.buttons}>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  )
}
