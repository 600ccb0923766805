import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getAdminPeopleSearch, getAdminPeopleSearchLimits } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import { TextField } from '../../ui/form.tsx'
import { displayName, shortId } from '../../words/people.ts'
import { SegmentAnswer } from '../people/why-answer.tsx'
import styles from './cards.module.css'

/** People who may be meant by one identifier, such as an e-mail address that several share. */
const candidatesMax = 10

/** Why one person is in a segment, or is not. */
export function WhyCard({ id }: { id: string }) {
  const reason = useReason('people.read')
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState<string>()
  const empty = typed.trim() === '' ? 'Type an identifier first.' : undefined
  const send = (event: FormEvent) => {
    event.preventDefault()
    if ((reason ?? empty) === undefined) setAsked(typed.trim())
  }
  return (
    <Card title="Why is a person in it, or not?">
      <form className={styles.ask} onSubmit={send}>
        <TextField
          label="Person"
          hint="External id, e-mail address, phone number, id, or alias as label:name."
          spellCheck={false}
          maxLength={getAdminPeopleSearchLimits.q.maxLength}
          value={typed}
          onChange={setTyped}
        />
        <Button type="submit" disabledReason={reason ?? empty}>
          Explain
        </Button>
      </form>
      {asked !== undefined && <Answer key={asked} id={id} q={asked} />}
    </Card>
  )
}

function Answer({ id, q }: { id: string; q: string }) {
  const { workspace } = useViewer()
  const [chosen, setChosen] = useState<string>()
  const read = useQuery(reading(getAdminPeopleSearch({ workspace: workspace.id, q, limit: candidatesMax })))
  if (read.data === undefined) return <NoAnswer read={read} what="the person" />
  const { people } = read.data
  if (people.length === 0) return <Note>Nobody has this identifier.</Note>
  const person = chosen ?? (people.length === 1 ? people[0]!.id : undefined)
  return (
    <div aria-live="polite" className={styles.answer}>
      {people.length > 1 && (
        <>
          <Note>Several people have this identifier. Choose one.</Note>
          <div className={styles.choices}>
            {people.map((each) => (
              <Button key={each.id} aria-pressed={each.id === person} onClick={() => setChosen(each.id)}>
                {displayName(each)} ({each.external_id ?? shortId(each.id)})
              </Button>
            ))}
          </div>
        </>
      )}
      {person !== undefined && <SegmentAnswer person={person} id={id} />}
    </div>
  )
}
