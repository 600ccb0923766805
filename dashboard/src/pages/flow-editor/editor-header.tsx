import { Link } from '@tanstack/react-router'
import { Redo2, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { sentenceIn } from '../../api/errors.ts'
import { Moment } from '../../frame/viewer.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import type { FlowKind } from '../flows/flow-words.ts'
import { pathOfFlow, pathOfFlows, titles } from '../flows/flow-words.ts'
import styles from './flow-editor.module.css'
import { countWords } from './mistakes-list.tsx'
import type { Check } from './use-check.ts'
import type { FlowDraft } from './use-flow-draft.ts'

type EditorHeaderProps = {
  kind: FlowKind
  id: string
  workspace: string
  name: string
  /** The version that runs; undefined for a flow that is not published yet. */
  version: number | undefined
  draft: FlowDraft
  check: Check
  /** Shows or hides the list of mistakes. */
  onMistakes: () => void
  /** Asks the server at once, and shows what it says. */
  onCheck: () => void
  onDryRun: () => void
  onPublish: () => void
  publishReason: string | undefined
  /** Further buttons. */
  children?: ReactNode
}

/** The head of the page on which a flow is edited: its name, how the draft is saved, its mistakes, and what can be done. */
export function EditorHeader(props: EditorHeaderProps) {
  const { kind, id, workspace, name, version, draft, check, children } = props
  const { edits } = draft
  const count = check.mistakes.length
  return (
    <>
      <p className={styles.crumb}>
        <Link to={pathOfFlows(kind, workspace)}>{titles[kind]}</Link>
        {version !== undefined && <Link to={pathOfFlow(kind, workspace, id)}>{`As it runs, version ${version}`}</Link>}
      </p>
      <div className={styles.top}>
        <h1 dir="auto">{name}</h1>
        <div className={styles.buttons}>
          <IconButton
            label="Undo (Ctrl Z)"
            disabledReason={edits.canUndo ? undefined : 'Nothing to undo.'}
            onClick={edits.undo}
          >
            <Undo2 size={16} aria-hidden />
          </IconButton>
          <IconButton
            label="Redo (Ctrl Shift Z)"
            disabledReason={edits.canRedo ? undefined : 'Nothing to redo.'}
            onClick={edits.redo}
          >
            <Redo2 size={16} aria-hidden />
          </IconButton>
          {children}
          <Button onClick={props.onCheck}>Check</Button>
          <Button onClick={props.onDryRun}>Dry run</Button>
          <Button look="main" disabledReason={props.publishReason} onClick={props.onPublish}>
            Publish
          </Button>
        </div>
      </div>
      <p className={styles.status}>
        <SavingLine draft={draft} />
        {count > 0 && (
          <button type="button" className={styles.count} onClick={props.onMistakes}>
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

/** How the draft is saved: when and by whom, or why it is not. */
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
