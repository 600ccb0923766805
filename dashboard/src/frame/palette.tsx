import type { LucideIcon } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { SearchField } from '../ui/field.tsx'
import styles from './palette.module.css'

/** Something that the palette offers. */
export type Choice = {
  readonly key: string
  readonly label: string
  readonly hint?: string
  readonly icon: LucideIcon
  readonly act: () => void
}

type PaletteProps = {
  text: string
  onText: (text: string) => void
  choices: readonly Choice[]
  /** The text that is shown when there is no choice. */
  none: string
  onClose: () => void
}

/** Finds screens, actions and people by what is typed. Arrow keys choose, Enter does. */
export function Palette({ text, onText, choices, none, onClose }: PaletteProps) {
  const list = useId()
  const [at, setAt] = useState(0)
  const chosen = choices[Math.min(at, choices.length - 1)]
  const act = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    choice.act()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined)
      setAt((Math.min(at, choices.length - 1) + step + choices.length) % Math.max(choices.length, 1))
    else if (event.key === 'Enter') act(chosen)
    else return
    event.preventDefault()
  }
  return (
    <Dialog label="Find or do something" onClose={onClose}>
      <SearchField
        label="Find or do something"
        className={styles.field}
        placeholder="A screen, an action, an address or an id"
        value={text}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={chosen && `${list}-${chosen.key}`}
        onChange={(event) => {
          onText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      {choices.length === 0 && <p className={styles.none}>{none}</p>}
      <div className={styles.list} id={list} role="listbox" aria-label="Choices">
        {choices.map((choice) => (
          <Option
            key={choice.key}
            choice={choice}
            id={`${list}-${choice.key}`}
            chosen={choice === chosen}
            onAct={() => act(choice)}
          />
        ))}
      </div>
    </Dialog>
  )
}

type OptionProps = { choice: Choice; id: string; chosen: boolean; onAct: () => void }

function Option({ choice: { label, hint, icon: Icon }, id, chosen, onAct }: OptionProps) {
  return (
    // The field keeps the focus and has the keys.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    // biome-ignore lint/a11y/useFocusableInteractive: see above.
    <div id={id} role="option" aria-selected={chosen} className={styles.option} onClick={onAct}>
      <Icon size={16} aria-hidden />
      <span>{label}</span>
      {hint && <span className={styles.hint}>{hint}</span>}
    </div>
  )
}
