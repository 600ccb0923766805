import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { CallError } from '../../api/errors.ts'
import {
  type PostAdminSegmentsReply,
  patchAdminSegmentsId,
  postAdminAudienceCheck,
  postAdminSegments,
} from '../../api/generated.ts'
import type { Operation } from '../../api/operation.ts'
import { AudienceEditor } from '../../audience/audience-editor.tsx'
import { useDraftKeys } from '../../draft/keys.ts'
import { type Mistake, readMistakes } from '../../draft/mistakes.ts'
import { changedMembers } from '../../draft/rebased.ts'
import { type Draft, type Saved, useDraft } from '../../draft/use-draft.ts'
import { EditHead } from '../../frame/edit-head.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { announce } from '../../frame/toast.tsx'
import { UnsavedGuard } from '../../frame/unsaved.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { useAudienceAnswers } from './audience-answers.ts'
import { ConditionsCard } from './conditions-card.tsx'
import { NewerVersion } from './newer-version.tsx'
import { PersonCard } from './person-card.tsx'
import { SampleCard } from './sample-card.tsx'
import type { SegmentDraft } from './segment-draft.ts'
import styles from './segment-editor.module.css'
import { SizeCard } from './size-card.tsx'
import { UsersCard } from './users-card.tsx'
import { WordsLine } from './words-line.tsx'

type SegmentEditorProps = {
  /** The id of the segment; absent for a new one. */
  id?: string
  loaded: Saved<SegmentDraft>
  /** Called when the server says that the segment was changed meanwhile. */
  onStale?: () => void
}

/** The builder of a segment: its conditions, what they say, how many people they select and who they are. */
export function SegmentEditor({ id, loaded, onStale }: SegmentEditorProps) {
  const { workspace } = useViewer()
  const draft = useDraft(`${workspace.id} segments ${id ?? ''}`, loaded)
  const { document } = draft
  const answers = useAudienceAnswers(workspace.id, document.audience)
  const { save, write, reason, refused } = useSave(draft, answers.mistakes, id)
  useFeed(postAdminAudienceCheck({ audience: document.audience }, { workspace: workspace.id }))
  useDraftKeys({ undo: draft.undo, redo: draft.redo, save })
  const isRefusedAsStale = write.error instanceof CallError && write.error.status === 412
  useEffect(() => {
    if (isRefusedAsStale) onStale?.()
  }, [isRefusedAsStale, onStale])
  const isNewer = (write.isIdle || write.isError) && draft.isChanged && loaded.tag !== draft.saved.tag
  const title = id === undefined ? 'New segment' : document.name.trim() === '' ? 'Segment' : document.name
  const mistakes = [...answers.mistakes, ...refused]
  const isUnplaced = write.isError && !isRefusedAsStale && refused.length === 0 && write.variables === document
  return (
    <>
      <title>{`${title} - Easel`}</title>
      <UnsavedGuard isChanged={draft.isChanged} />
      <EditHead title={title} edits={draft} crumbs={<Crumbs id={id} name={draft.saved.document.name} />}>
        <SaveButtons draft={draft} onSave={save} reason={reason} isPending={write.isPending} />
      </EditHead>
      {draft.isFound && draft.isChanged && (
        <p className={styles.found} role="status">
          You made these changes earlier in this tab, and did not save them.
        </p>
      )}
      {isNewer && <NewerVersion id={id!} loaded={loaded} draft={draft} />}
      {isUnplaced && (
        <div className={styles.refusal} role="alert">
          <Refusal error={write.error} />
        </div>
      )}
      <WordsLine answers={answers} />
      <div className={styles.columns}>
        <ConditionsCard draft={draft} mistakes={mistakes} isNew={id === undefined}>
          <AudienceEditor
            path={['audience']}
            workspace={workspace.id}
            edits={draft}
            mistakes={mistakes}
            counts={answers.counts}
            isStale={answers.isStale}
          />
        </ConditionsCard>
        <div className={styles.side}>
          <SizeCard answers={answers} />
          <PersonCard answers={answers} />
          <SampleCard answers={answers} />
          {id !== undefined && <UsersCard id={id} />}
        </div>
      </div>
    </>
  )
}

function Crumbs({ id, name }: { id: string | undefined; name: string }) {
  const { workspace } = useViewer()
  return (
    <>
      <Link to={paths.segments(workspace.id)}>Segments</Link>
      {id !== undefined && (
        <>
          /
          <Link to={paths.segment(workspace.id, id)} dir="auto">
            {name}
          </Link>
        </>
      )}
    </>
  )
}

type SaveButtonsProps = {
  draft: Draft<SegmentDraft>
  onSave: () => void
  reason: string | undefined
  isPending: boolean
}

function SaveButtons({ draft, onSave, reason, isPending }: SaveButtonsProps) {
  const discard = () => {
    const bringBack = draft.discard()
    announce('Your changes were discarded.', bringBack)
  }
  return (
    <>
      <Button disabledReason={draft.isChanged ? undefined : 'Nothing was changed.'} onClick={discard}>
        Discard
      </Button>
      <Button look="main" title="Ctrl S" disabledReason={reason} onClick={onSave}>
        {isPending ? 'Saving ...' : 'Save'}
      </Button>
    </>
  )
}

/** Saves what was changed, unless another person has changed the segment meanwhile. */
function useSave(draft: Draft<SegmentDraft>, mistakes: readonly Mistake[], id: string | undefined) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const missing = useReason('segments.edit')
  const query = { workspace: workspace.id }
  const { document, saved } = draft
  const write = useWrite({
    request(given: SegmentDraft): Operation<PostAdminSegmentsReply> {
      if (id === undefined) return postAdminSegments({ ...given, name: given.name.trim() }, query)
      const change = patchAdminSegmentsId(id, changedMembers(given, saved.document), query)
      return { ...change, ...(saved.tag !== null && { ifMatch: saved.tag }) }
    },
    said: () => 'Saved.',
    onDone({ segment }) {
      draft.forget()
      void navigate({ to: paths.segment(workspace.id, segment.id ?? id!), ignoreBlocker: true })
    },
  })
  const pending = write.isPending ? 'The request is on its way.' : undefined
  const wrong = mistakes.length > 0 ? 'The conditions have a mistake.' : undefined
  const reason = missing ?? pending ?? (draft.isChanged ? wrong : 'Nothing was changed.')
  const save = () => {
    if (reason === undefined) write.mutate(document)
    else announce(reason)
  }
  // What the server said about an older document is not said about this one.
  const said = write.error instanceof CallError && write.variables === document ? write.error.mistakes : []
  return { save, write, reason, refused: readMistakes(said) }
}
