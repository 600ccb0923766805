import { useBlocker } from '@tanstack/react-router'
import { useDraftKeys } from '../../draft/keys.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { DraftConflict } from '../flow-editor/draft-conflict.tsx'
import { EditorHeader } from '../flow-editor/editor-header.tsx'
import { MistakesList } from '../flow-editor/mistakes-list.tsx'
import { FlowForms } from '../flow-forms/flow-forms.tsx'
import { CanvasViews, type View } from './canvas-views.tsx'
import styles from './editor.module.css'
import { EditorDialogs } from './editor-dialogs.tsx'
import { EditorPanels } from './editor-panels.tsx'
import { placeOf } from './mistake-places.ts'
import { type CanvasEditorProps, type Editor, useEditor } from './use-editor.ts'

/** The editor of a canvas: its picture or outline, the forms of what is chosen, and what the server says about it. */
export default function CanvasEditor(props: CanvasEditorProps) {
  const editor = useEditor(props)
  const { flow, loaded, edits, document, check, place, acts, outline, name, readOnly } = editor
  const { chosen, isEntryOpen } = place
  useDraftKeys({ undo: edits.undo, redo: edits.redo, save: () => void editor.save() })
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: edits.isChanged })
  return (
    <FlowForms kind="canvas" id={flow.id} edits={edits as never} mistakes={check.mistakes} readOnly={readOnly}>
      <title>{`${name} - Easel`}</title>
      <Head editor={editor} />
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
      <EditorDialogs editor={editor} />
    </FlowForms>
  )
}

function Head({ editor }: { editor: Editor }) {
  const { workspace } = useViewer()
  const { flow, loaded, draft, check, name, readOnly, publishReason, showsMistakes, showMistakes, setDialog } = editor
  return (
    <EditorHeader
      {...{ kind: flow.kind, id: flow.id, name, draft, check, publishReason }}
      workspace={workspace.id}
      version={loaded.published?.version}
      onMistakes={() => showMistakes(!showsMistakes)}
      onCheck={() => {
        check.again()
        showMistakes(true)
      }}
      onDryRun={() => setDialog({ as: 'dry run' })}
      onPublish={() => void editor.publish()}
    >
      <Button
        disabledReason={readOnly ?? (draft.tag === null ? 'There is no draft.' : undefined)}
        onClick={() => setDialog({ as: 'discard' })}
      >
        Discard
      </Button>
    </EditorHeader>
  )
}

function viewOf(view: string | undefined): View {
  return view === 'outline' || view === 'code' ? view : 'picture'
}
