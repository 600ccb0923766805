import { useNavigate } from '@tanstack/react-router'
import { announce } from '../../frame/toast.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { DryRunDialog } from '../flow-editor/dry-run-dialog.tsx'
import { PublishDialog } from '../flow-editor/publish-dialog.tsx'
import { pathOfFlow, pathOfFlows } from '../flows/flow-words.ts'
import { AddStepDialog } from './add-step-dialog.tsx'
import type { Editor } from './use-editor.ts'

/** The dialogs of the editor. At most one is open. */
export function EditorDialogs({ editor }: { editor: Editor }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const { flow, loaded, draft, document, acts, name, dialog, setDialog } = editor
  const close = () => setDialog(undefined)
  const leave = (to: string) => void navigate({ to, ignoreBlocker: true })
  if (acts.asked) {
    return (
      <AddStepDialog document={document} places={acts.asked} onAdd={acts.add} onLead={acts.lead} onClose={acts.close} />
    )
  }
  if (dialog?.as === 'publish') {
    return (
      <PublishDialog
        {...{ flow, name, document, published: loaded.published, tag: dialog.tag }}
        onDone={() => {
          draft.finish()
          leave(pathOfFlow('canvas', workspace.id, flow.id))
        }}
        onClose={close}
      />
    )
  }
  if (dialog?.as === 'dry run') return <DryRunDialog {...{ flow, name, document }} onClose={close} />
  if (dialog?.as !== 'discard') return null
  const discard = async () => {
    close()
    await draft.discard()
    announce('The draft was discarded.')
    if (!loaded.published) leave(pathOfFlows('canvas', workspace.id))
  }
  return (
    <FormDialog
      title={`Discard the draft of "${name}"?`}
      submit="Discard the draft"
      danger
      onSubmit={() => void discard()}
      onClose={close}
    >
      <p>
        {loaded.published
          ? 'What runs now stays as it is. The changes of everybody who edited this draft are gone.'
          : 'This canvas was never published. Without its draft nothing of it is left.'}
      </p>
    </FormDialog>
  )
}
