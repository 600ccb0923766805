import { useNavigate } from '@tanstack/react-router'
import { announce } from '../../frame/toast.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { pathOfFlow, pathOfFlows } from '../flows/flow-words.ts'
import { DryRunDialog } from './dry-run-dialog.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import type { FlowEditor } from './use-flow-editor.ts'

/** The dialogs of the editor of a flow. At most one is open. */
export function EditorDialogs({ editor }: { editor: FlowEditor }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const { flow, loaded, draft, document, name, dialog, setDialog } = editor
  const close = () => setDialog(undefined)
  const leave = (to: string) => void navigate({ to, ignoreBlocker: true })
  if (dialog?.as === 'publish') {
    return (
      <PublishDialog
        {...{ flow, name, document, published: loaded.published, tag: dialog.tag, alone: draft.alone }}
        onDone={() => {
          draft.finish()
          leave(pathOfFlow(flow.kind, workspace.id, flow.id))
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
    if (!loaded.published) leave(pathOfFlows(flow.kind, workspace.id))
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
          : `This ${flow.kind} was never published. Without its draft nothing of it is left.`}
      </p>
    </FormDialog>
  )
}
