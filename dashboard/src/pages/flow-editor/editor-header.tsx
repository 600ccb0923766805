import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sentenceIn } from '../../api/errors.ts'
import { EditHead } from '../../frame/edit-head.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { pathOfFlow, pathOfFlows, titles } from '../flows/flow-words.ts'
import styles from './flow-editor.module.css'
import { countWords } from './mistakes-list.tsx'
import type { FlowDraft } from './use-flow-draft.ts'
import type { FlowEditor } from './use-flow-editor.ts'

/** The head of the page on which a flow is edited: its name, how the draft is saved, its mistakes, and what can be done. */
export function EditorHeader({ editor, children }: { editor: FlowEditor; children?: ReactNode }) {
  const { workspace } = useViewer()
  const { flow, loaded, draft, check, name, readOnly, showsMistakes, showMistakes, setDialog } = editor
  const count = check.mistakes.length
  return (
    <>
      <EditHead
        title={name}
        edits={draft.edits}
        crumbs={
          <>
            <Link to={pathOfFlows(flow.kind, workspace.id)}>{titles[flow.kind]}</Link>
            {loaded.published && (
              <Link to={pathOfFlow(flow.kind, workspace.id, flow.id)}>
                {`As it runs, version ${loaded.published.version}`}
              </Link>
            )}
          </>
        }
      >
        {children}
        <Button
          disabledReason={readOnly ?? (draft.tag === null ? 'There is no draft.' : undefined)}
          onClick={() => setDialog({ as: 'discard' })}
        >
          Discard
        </Button>
        <Button
          onClick={() => {
            check.again()
            showMistakes(true)
          }}
        >
          Check
        </Button>
        <Button onClick={() => setDialog({ as: 'dry run' })}>Dry run</Button>
        <Button look="main" disabledReason={editor.publishReason} onClick={() => void editor.publish()}>
          Publish
        </Button>
      </EditHead>
      <p className={styles.status}>
        <SavingLine draft={draft} />
        {count > 0 && (
          <button type="button" className={styles.count} onClick={() => showMistakes(!showsMistakes)}>
            <Mark family="failed">{countWords(count)}</Mark>
          </button>
        )}
        {count === 0 && check.isCurrent && <Mark family="sent">no mistakes</Mark>}
        {check.error !== null && check.error !== undefined && (
          <span className={styles.soft}>It could not be checked: {sentenceIn(check.error)}</span>
        )}
      </p>
    </>
  )
}

/** Says when the draft was saved and who saved it, or why it is not saved. */
function SavingLine({ draft: { saving, last, edits, save } }: { draft: FlowDraft }) {
  if (saving.as === 'failed') {
    return (
      <span role="alert" className={styles.line}>
        <Mark family="failed">Not saved: {sentenceIn(saving.error)}</Mark>
        <Button onClick={() => void save()}>Try again</Button>
      </span>
    )
  }
  return (
    <span role="status" className={styles.soft}>
      {saving.as === 'saving' && 'Saving ...'}
      {saving.as !== 'saving' && edits.isChanged && 'Not saved yet.'}
      {saving.as !== 'saving' && !edits.isChanged && last === null && 'No changes yet.'}
      {saving.as !== 'saving' && !edits.isChanged && last !== null && (
        <>
          Draft saved by {last.author.name}, <Moment at={last.updated_at} />.
        </>
      )}
    </span>
  )
}
