import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { getAdminPeopleSearch, getAdminPeopleSearchLimits } from '../../api/generated.ts'
import { newestPerson, reading } from '../../api/queries.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { SearchField } from '../../ui/field.tsx'
import { displayName } from '../../words/people.ts'
import styles from './texts.module.css'

export type Chosen = { readonly id: string; readonly name: string }

/** The person for which texts are shown: the newest one until another is chosen. Undefined: an invented person. */
export function useChosenPerson() {
  const { workspace, may } = useViewer()
  const [chosen, choose] = useState<Chosen | null>()
  const newest = useQuery({ ...reading(newestPerson(workspace.id)), enabled: may('people.read') })
  const first = newest.data?.people[0]
  const person = chosen === undefined ? first && { id: first.id, name: displayName(first) } : (chosen ?? undefined)
  return { person, choose, isReady: !may('people.read') || !newest.isPending }
}

type PersonPickerProps = { person: Chosen | undefined; onChoose: (person: Chosen | null) => void }

/** Says for which person texts are shown, and finds another person. */
export function PersonPicker({ person, onChoose }: PersonPickerProps) {
  const { may } = useViewer()
  const [isOpen, setIsOpen] = useState(false)
  if (!may('people.read')) return <span className={styles.soft}>as an invented person</span>
  const choose = (next: Chosen | null) => {
    onChoose(next)
    setIsOpen(false)
  }
  return (
    <div className={styles.picker}>
      <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        as <span dir="auto">{person?.name ?? 'an invented person'}</span>
      </Button>
      {isOpen && (
        <div className={styles.found}>
          <FoundPeople onChoose={choose}>
            <li>
              <Button look="quiet" onClick={() => choose(null)}>
                An invented person
              </Button>
            </li>
          </FoundPeople>
        </div>
      )}
    </div>
  )
}

type FoundPeopleProps = { onChoose: (person: Chosen) => void; children?: ReactNode }

/** A field that searches for people, and the people it found. `children` are further choices. */
export function FoundPeople({ onChoose, children }: FoundPeopleProps) {
  const { workspace } = useViewer()
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const { maxLength } = getAdminPeopleSearchLimits.q
  const found = useQuery({
    ...reading(getAdminPeopleSearch({ workspace: workspace.id, limit: 5, ...(wanted !== '' && { q: wanted }) })),
    enabled: wanted.length <= maxLength,
  })
  return (
    <>
      <SearchField
        label="Find a person by address or id"
        placeholder="Address or id"
        value={text}
        maxLength={maxLength}
        autoFocus
        onChange={(event) => setText(event.target.value)}
        // Where it stands in a form, Enter must not send the form: nobody is chosen by it.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <ul>
        {found.data?.people.map((one) => (
          <li key={one.id}>
            <Button look="quiet" onClick={() => onChoose({ id: one.id, name: displayName(one) })}>
              <span dir="auto">{displayName(one)}</span>
              <span className={styles.soft}>{one.email}</span>
            </Button>
          </li>
        ))}
        {children}
      </ul>
      {found.data?.people.length === 0 && wanted !== '' && (
        <p className={styles.soft}>Nobody has this address or id.</p>
      )}
    </>
  )
}
