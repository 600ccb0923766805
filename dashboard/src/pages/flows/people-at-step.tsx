import { useState } from 'react'
import { Note } from '../../ui/facts.tsx'
import { EntriesList } from './entries-list.tsx'
import type { FlowRef } from './flow-words.ts'

type PeopleAtStepProps = { flow: FlowRef; step: string }

/** The people who are at a step now, with what each waits for. */
export function PeopleAtStep({ flow, step }: PeopleAtStepProps) {
  // Another step begins with its first page.
  return <Pages key={`${flow.kind} ${flow.id} ${step}`} flow={flow} step={step} />
}

function Pages({ flow, step }: PeopleAtStepProps) {
  const [cursor, setCursor] = useState<string>()
  return (
    <EntriesList
      flow={flow}
      filter={{ step, state: 'open' }}
      cursor={cursor}
      onCursor={setCursor}
      empty={<Note>Nobody is at this step now.</Note>}
      isSmall
    />
  )
}
