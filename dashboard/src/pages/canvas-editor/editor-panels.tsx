import { Trash2 } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { EditPanel } from './edit-panel.tsx'
import { EntryForms } from './entry-panel.tsx'
import { placeOf } from './mistake-places.ts'
import { kindName, StepForm } from './step-form.tsx'
import type { Editor } from './use-editor.ts'

/** The forms of what is chosen: of a step, or of the whole canvas. */
export function EditorPanels({ editor }: { editor: Editor }) {
  const { document, check, place, acts, readOnly, close } = editor
  const { chosen, isEntryOpen, takesFocus } = place
  if (isEntryOpen) {
    return (
      <EditPanel title="Canvas and entry" takesFocus={takesFocus} onClose={close}>
        <EntryForms document={document} />
      </EditPanel>
    )
  }
  if (!chosen) return null
  return (
    <EditPanel
      key={chosen.id}
      title={`${kindName(chosen.step)}: ${placeOf(document, { path: chosen.path, message: '' })}`}
      takesFocus={takesFocus}
      onClose={close}
      actions={
        <IconButton label="Delete the step" disabledReason={readOnly} onClick={() => acts.remove(chosen.id)}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      }
    >
      <StepForm placed={chosen} sentence={check.sentences[chosen.id]} onRenamed={(step) => place.open(step, false)} />
    </EditPanel>
  )
}
