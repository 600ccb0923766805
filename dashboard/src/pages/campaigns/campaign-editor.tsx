import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useDraftKeys } from '../../draft/keys.ts'
import type { Mistake } from '../../draft/mistakes.ts'
import { isSame } from '../../draft/rebased.ts'
import { useReason } from '../../frame/permit.ts'
import { announce } from '../../frame/toast.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeView } from '../flow-editor/code-view.tsx'
import { DraftConflict } from '../flow-editor/draft-conflict.tsx'
import { EditorHeader } from '../flow-editor/editor-header.tsx'
import { MistakesList } from '../flow-editor/mistakes-list.tsx'
import { type Check, useCheck } from '../flow-editor/use-check.ts'
import { type FlowDraft, type Loaded, useFlowDraft } from '../flow-editor/use-flow-draft.ts'
import { focusField } from '../flow-forms/at-path.tsx'
import { FlowForms } from '../flow-forms/flow-forms.tsx'
import { listAt } from '../flow-forms/members.ts'
import { CampaignForms } from './campaign-forms.tsx'
import { EditorDialogs, type OpenDialog } from './editor-dialogs.tsx'
import { messagesPath, nameOfMessage } from './messages.ts'

type CampaignEditorProps = {
  id: string
  loaded: Loaded
  /** Called when the campaign may have been published by another person. */
  onStale: () => void
}

/** The editor of a campaign: its forms, and what the server says about it. */
export default function CampaignEditor({ id, loaded, onStale }: CampaignEditorProps) {
  const { workspace } = useViewer()
  const flow = { kind: 'campaign', id } as const
  const readOnly = useReason('campaigns.edit')
  const draft = useFlowDraft(flow, loaded, onStale)
  const { edits } = draft
  const { document } = edits
  const check = useCheck(flow, document)
  const [dialog, setDialog] = useState<OpenDialog>()
  const [showsMistakes, showMistakes] = useState(false)
  const [isCode, showCode] = useState(false)
  const place = useMistakePlace()
  const name = typeof document.name === 'string' && document.name.trim() !== '' ? document.name : 'New campaign'
  const save = async () => {
    if ((await draft.save()) !== undefined) announce('Saved as a draft.')
  }
  const publish = async () => {
    const tag = await draft.save()
    if (typeof tag === 'string') setDialog({ as: 'publish', tag })
  }
  useDraftKeys({ undo: edits.undo, redo: edits.redo, save: () => void save() })
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: edits.isChanged })
  return (
    <FlowForms kind="campaign" id={id} edits={edits as never} mistakes={check.mistakes} readOnly={readOnly}>
      <title>{`${name} - Easel`}</title>
      <EditorHeader
        {...{ kind: flow.kind, id, name, draft, check }}
        workspace={workspace.id}
        version={loaded.published?.version}
        publishReason={readOnly ?? publishReason(draft, check, loaded)}
        onMistakes={() => showMistakes(!showsMistakes)}
        onCheck={() => {
          check.again()
          showMistakes(true)
        }}
        onDryRun={() => setDialog({ as: 'dry run' })}
        onPublish={() => void publish()}
      >
        <Button aria-pressed={isCode} onClick={() => showCode(!isCode)}>
          As text
        </Button>
        <Button
          disabledReason={readOnly ?? (draft.tag === null ? 'There is no draft.' : undefined)}
          onClick={() => setDialog({ as: 'discard' })}
        >
          Discard
        </Button>
      </EditorHeader>
      {readOnly !== undefined && <p role="note">{readOnly}</p>}
      {draft.conflict && <DraftConflict draft={draft} conflict={draft.conflict} />}
      {showsMistakes && (
        <MistakesList
          check={check}
          placeOf={(mistake) => placeOf(document, mistake)}
          onOpen={(mistake) => {
            showCode(false)
            place.goTo(mistake)
          }}
          onClose={() => showMistakes(false)}
        />
      )}
      {isCode ? (
        <CodeView edits={edits} name={name} readOnly={readOnly} />
      ) : (
        <CampaignForms openMessage={place.message} onOpenMessage={place.open} />
      )}
      <EditorDialogs {...{ flow, name, draft, loaded, dialog }} onClose={() => setDialog(undefined)} />
    </FlowForms>
  )
}

function publishReason(draft: FlowDraft, check: Check, { published }: Loaded): string | undefined {
  if (draft.conflict) return 'Another person changed the draft: choose first what to go on with.'
  if (check.mistakes.length > 0) return 'There are mistakes. Mend them first.'
  const isUnchanged = published !== undefined && isSame(draft.edits.document, published.document)
  return isUnchanged ? 'Nothing differs from what runs.' : undefined
}

/** Which message is open. A mistake opens the one in which it is, and gets the focus into its field. */
function useMistakePlace() {
  const [message, open] = useState(0)
  const [wanted, setWanted] = useState<Mistake>()
  useEffect(() => {
    if (wanted) focusField(wanted.path)
  }, [wanted])
  return {
    ...{ message, open },
    goTo(mistake: Mistake) {
      const [first, index] = mistake.path
      if (first === messagesPath[0] && typeof index === 'number') open(index)
      setWanted({ ...mistake })
    },
  }
}

/** Returns where a mistake is, in the words of the reader. Pure. */
function placeOf(document: unknown, { path: [first, index] }: Mistake): string {
  if (first !== messagesPath[0] || typeof index !== 'number') return 'Campaign'
  return nameOfMessage(listAt(document, messagesPath)[index], index)
}
