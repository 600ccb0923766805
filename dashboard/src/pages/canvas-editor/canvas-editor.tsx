import { Button } from '../../ui/button.tsx'
import { DraftConflict } from '../flow-editor/draft-conflict.tsx'
import { EditorDialogs } from '../flow-editor/editor-dialogs.tsx'
import { EditorHeader } from '../flow-editor/editor-header.tsx'
import { MistakesList } from '../flow-editor/mistakes-list.tsx'
import { FlowForms } from '../flow-forms/flow-forms.tsx'
import { AddStepDialog } from './add-step-dialog.tsx'
import { CanvasViews, type View } from './canvas-views.tsx'
import styles from './editor.module.css'
import { EditorPanels } from './editor-panels.tsx'
import { placeOf } from './mistake-places.ts'
import { type CanvasEditorProps, useEditor } from './use-editor.ts'

/** The editor of a canvas: its picture or outline, the forms of what is chosen, and what the server says about it. */
export default function CanvasEditor(props: CanvasEditorProps) {
  const editor = useEditor(props)
  const { flow, loaded, edits, document, check, place, acts, outline, name, readOnly } = editor
  const { chosen, isEntryOpen } = place
  return (
    <FlowForms kind="canvas" id={flow.id} edits={edits as never} mistakes={check.mistakes} readOnly={readOnly}>
      <title>{`${name} - Easel`}</title>
      <EditorHeader editor={editor}>
        <Button aria-pressed={isEntryOpen} onClick={() => (isEntryOpen ? editor.close() : place.open('', true))}>
          Canvas and entry
        </Button>
      </EditorHeader>
      {editor.draft.conflict && <DraftConflict draft={editor.draft} conflict={editor.draft.conflict} />}
      {editor.showsMistakes && (
        <MistakesList
          check={check}
          placeOf={(mistake) => placeOf(document, mistake)}
          onOpen={place.goTo}
          onClose={() => editor.showMistakes(false)}
        />
      )}
      <div className={styles.columns} data-open={chosen ? String(chosen.step.type) : isEntryOpen ? 'entry' : undefined}>
        <CanvasViews
          {...{ id: flow.id, outline, edits, name, readOnly }}
          view={viewOf(place.view)}
          onView={place.setView}
          version={loaded.published?.version}
          chosen={chosen?.id}
          canvas={acts.canvas}
          onOpen={place.open}
        />
        <EditorPanels editor={editor} />
      </div>
      {acts.asked ? (
        <AddStepDialog {...{ document, places: acts.asked }} onAdd={acts.add} onLead={acts.lead} onClose={acts.close} />
      ) : (
        <EditorDialogs editor={editor} />
      )}
    </FlowForms>
  )
}

function viewOf(view: string | undefined): View {
  return view === 'outline' || view === 'code' ? view : 'picture'
}
