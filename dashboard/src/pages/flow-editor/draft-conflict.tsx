import { useState } from 'react'
import { differences } from '../../canvas/edit/differences.ts'
import { merged } from '../../canvas/edit/merge.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import { Moment } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import styles from './flow-editor.module.css'
import type { Conflict, FlowDraft } from './use-flow-draft.ts'

type DraftConflictProps = { draft: FlowDraft; conflict: Conflict }

/** Says who has changed the draft meanwhile and what, beside the reader's own changes. Each choice can be undone. */
export function DraftConflict({ draft, conflict }: DraftConflictProps) {
  const { document: mine, saved } = draft.edits
  const from = saved.document
  const { theirs } = conflict
  const both = merged(mine, from, theirs)
  const name = conflict.draft?.author.name
  return (
    <section className={styles.conflict} role="alert" aria-label="Changed by another person">
      <strong>
        {conflict.draft
          ? `${name} changed this draft while you edited it`
          : 'This draft was published or discarded while you edited it'}
        {conflict.draft && (
          <>
            , at <Moment at={conflict.draft.updated_at} full />
          </>
        )}
      </strong>
      <p>Nothing is lost: choose what to go on with. What you do not choose can be brought back with Ctrl Z.</p>
      <div className={styles.sides}>
        <Side title={conflict.draft ? `What ${name} changed` : 'What is stored now'} from={from} to={theirs} />
        <Side title="What you changed" from={from} to={mine} />
      </div>
      {both.both.length > 0 && (
        <p>
          Both of you changed: {both.both.map(wordOf).join(', ')}. With mine on top of theirs, yours is taken there.
        </p>
      )}
      <div className={styles.buttons}>
        <Button look="main" onClick={() => draft.settleConflict(both.document)}>
          Mine on top of theirs
        </Button>
        <Button onClick={() => draft.settleConflict(theirs)}>Take theirs</Button>
        <Button onClick={() => draft.settleConflict(mine)}>Keep mine only</Button>
      </div>
    </section>
  )
}

function wordOf(name: string): string {
  return name.startsWith('steps.') ? `the step "${name.slice('steps.'.length)}"` : `"${name}"`
}

function Side({ title, from, to }: { title: string; from: Definition; to: Definition }) {
  const [isOpen, setOpen] = useState(false)
  const changes = differences(from, to)
  return (
    <div>
      <h3>{title}</h3>
      {changes.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <ul>
          {changes.map((change) => (
            <li key={change} dir="auto">
              {change}
            </li>
          ))}
        </ul>
      )}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>As JSON</summary>
        {isOpen && <CodeBlock label={title}>{JSON.stringify(to, null, 2)}</CodeBlock>}
      </details>
    </div>
  )
}
