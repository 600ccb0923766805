import { useNavigate } from '@tanstack/react-router'
import { announce } from '../../frame/toast.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { DryRunDialog } from '../flow-editor/dry-run-dialog.tsx'
import { PublishDialog } from '../flow-editor/publish-dialog.tsx'
import type { FlowDraft, Loaded } from '../flow-editor/use-flow-draft.ts'
import type { FlowRef } from '../flows/flow-words.ts'

export type OpenDialog = { readonly as: 'publish'; readonly tag: string } | { readonly as: 'dry run' | 'discard' }

type EditorDialogsProps = {
  flow: FlowRef
  name: string
  draft: FlowDraft
  loaded: Loaded
  dialog: OpenDialog | undefined
  onClose: () => void
}

/** The dialogs of the editor of a campaign. At most one is open. */
export function EditorDialogs({ flow, name, draft, loaded, dialog, onClose }: EditorDialogsProps) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const { document } = draft.edits
  const leave = (to: string) => void navigate({ to, ignoreBlocker: true })
  if (dialog?.as === 'publish') {
    return (
      <PublishDialog
        {...{ flow, name, document, published: loaded.published, tag: dialog.tag, onClose }}
        onDone={() => {
          draft.finish()
          leave(paths.campaign(workspace.id, flow.id))
        }}
      />
    )
  }
  if (dialog?.as === 'dry run') return <DryRunDialog {...{ flow, name, document, onClose }} />
  if (dialog?.as !== 'discard') return null
  const discard = async () => {
    onClose()
    await draft.discard()
    announce('The draft was discarded.')
    if (!loaded.published) leave(paths.campaigns(workspace.id))
  }
  return (
    <FormDialog
      title={`Discard the draft of "${name}"?`}
      submit="Discard the draft"
      danger
      onSubmit={() => void discard()}
      onClose={onClose}
    >
      <p>
        {loaded.published
          ? 'What runs now stays as it is. The changes of everybody who edited this draft are gone.'
          : 'This campaign was never published. Without its draft nothing of it is left.'}
      </p>
    </FormDialog>
  )
}
