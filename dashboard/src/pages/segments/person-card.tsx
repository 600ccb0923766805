import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  type GetAdminPeopleSearchReply,
  getAdminPeopleSearch,
  type PostAdminAudienceWhyBody,
  postAdminAudienceWhy,
} from '../../api/generated.ts'
import { asking, reading } from '../../api/queries.ts'
import { type Explained, Explanation } from '../../audience/explanation.tsx'
import { useReason } from '../../frame/permit.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/facts.tsx'
import { TextField } from '../../ui/form.tsx'
import { Mark } from '../../ui/mark.tsx'
import { displayName } from '../../words/people.ts'
import type { AudienceAnswers } from './audience-answers.ts'
import styles from './segment-editor.module.css'

type Found = GetAdminPeopleSearchReply['people'][number]
type Person = PostAdminAudienceWhyBody['person']

const choicesMax = 5

/** Whether one person is selected, and what each condition found. The answer follows the edits. */
export function PersonCard({ answers }: { answers: AudienceAnswers }) {
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState<string>()
  const reason = useReason('people.read')
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (reason === undefined && typed.trim() !== '') setAsked(typed.trim())
  }
  return (
    <Card title="One person">
      <form className={styles.person} onSubmit={send}>
        <TextField
          label="External id, e-mail address, phone number or id"
          spellCheck={false}
          value={typed}
          onChange={setTyped}
        />
        <Button type="submit" disabledReason={reason}>
          Is in it?
        </Button>
      </form>
      {asked !== undefined && <Candidates key={asked} q={asked} answers={answers} />}
    </Card>
  )
}

/** Finds who is meant. Of several people one is chosen. */
function Candidates({ q, answers }: { q: string; answers: AudienceAnswers }) {
  const { workspace } = useViewer()
  const [chosen, setChosen] = useState<Found>()
  const read = useQuery(reading(getAdminPeopleSearch({ workspace: workspace.id, q, limit: choicesMax })))
  if (read.data === undefined) return <NoAnswer read={read} what="the person" />
  const { people } = read.data
  const meant = people.filter(({ found_by }) => found_by.length > 0)
  const candidates = meant.length > 0 ? meant : people
  const one = chosen ?? (candidates.length === 1 ? candidates[0] : undefined)
  if (candidates.length === 0) return <Verdict person={{ external_id: q }} answers={answers} />
  return (
    <>
      {candidates.length > 1 && (
        <div className={styles.buttons}>
          {candidates.map((each) => (
            <Button key={each.id} aria-pressed={each.id === one?.id} onClick={() => setChosen(each)}>
              {displayName(each)}
            </Button>
          ))}
        </div>
      )}
      {one && <Verdict person={one.id} name={displayName(one)} answers={answers} />}
    </>
  )
}

type VerdictProps = { person: Person; name?: string; answers: AudienceAnswers }

function Verdict({ person, name, answers: { asked, isValid, isStale } }: VerdictProps) {
  const { workspace } = useViewer()
  const read = useQuery({
    ...asking(postAdminAudienceWhy({ audience: asked, person }, { workspace: workspace.id })),
    enabled: isValid,
    placeholderData: keepPreviousData,
  })
  if (read.data === undefined) return isValid ? <NoAnswer read={read} what="the answer" /> : null
  const { in: isIn, sentence, because } = read.data
  return (
    <div className={styles.verdict} data-stale={isStale || read.isPlaceholderData || undefined} aria-live="polite">
      {because === null ? (
        <p>{sentence}</p>
      ) : (
        <>
          <Mark family={isIn ? 'sent' : 'held'}>
            {name}: {isIn ? 'in' : 'not in'}
          </Mark>
          <Explanation of={because as Explained} />
        </>
      )}
    </div>
  )
}
