import { useEffect, useState } from 'react'
import type { Mistake } from '../../draft/mistakes.ts'
import { Button } from '../../ui/button.tsx'
import { CodeView } from '../flow-editor/code-view.tsx'
import { DraftConflict } from '../flow-editor/draft-conflict.tsx'
import { EditorDialogs } from '../flow-editor/editor-dialogs.tsx'
import { EditorHeader } from '../flow-editor/editor-header.tsx'
import { MistakesList } from '../flow-editor/mistakes-list.tsx'
import type { Loaded } from '../flow-editor/use-flow-draft.ts'
import { useFlowEditor } from '../flow-editor/use-flow-editor.ts'
import { focusField } from '../flow-forms/at-path.tsx'
import { FlowForms } from '../flow-forms/flow-forms.tsx'
import { listAt } from '../flow-forms/members.ts'
import { CampaignForms } from './campaign-forms.tsx'
import { messagesPath, nameOfMessage } from './messages.ts'

type CampaignEditorProps = {
  id: string
  loaded: Loaded
  /** Called when the campaign may have been published by another person. */
  onStale: () => void
}

/** The editor of a campaign: its forms, and what the server says about it. */
export default function CampaignEditor({ id, loaded, onStale }: CampaignEditorProps) {
  const editor = useFlowEditor({ flow: { kind: 'campaign', id }, loaded, unnamed: 'New campaign', onStale })
  const { draft, edits, document, check, name, readOnly } = editor
  const [isCode, showCode] = useState(false)
  const place = useMistakePlace()
  return (
    <FlowForms kind="campaign" id={id} edits={edits as never} mistakes={check.mistakes} readOnly={readOnly}>
      <title>{`${name} - Easel`}</title>
      <EditorHeader editor={editor}>
        <Button aria-pressed={isCode} onClick={() => showCode(!isCode)}>
          As text
        </Button>
      </EditorHeader>
      {readOnly !== undefined && <p role="note">{readOnly}</p>}
      {draft.conflict && <DraftConflict draft={draft} conflict={draft.conflict} />}
      {editor.showsMistakes && (
        <MistakesList
          check={check}
          placeOf={(mistake) => placeOf(document, mistake)}
          onOpen={(mistake) => {
            showCode(false)
            place.goTo(mistake)
          }}
          onClose={() => editor.showMistakes(false)}
        />
      )}
      {isCode ? (
        <CodeView edits={edits} name={name} readOnly={readOnly} />
      ) : (
        <CampaignForms openMessage={place.message} onOpenMessage={place.open} />
      )}
      <EditorDialogs editor={editor} />
    </FlowForms>
  )
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
