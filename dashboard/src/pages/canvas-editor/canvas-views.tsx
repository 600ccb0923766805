import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { getAdminCanvasesIdStanding } from '../../api/generated.ts'
import { polling } from '../../api/queries.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import type { CanvasEdits } from '../../canvas/edits.ts'
import { Outline } from '../../canvas/outline.tsx'
import type { Outline as InWords } from '../../canvas/words.ts'
import type { Draft } from '../../draft/use-draft.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { useIsNarrow } from '../../ui/narrow.ts'
import { LoadingRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { CodeView } from '../flow-editor/code-view.tsx'

// The library that draws it is loaded when a picture is looked at.
const Picture = lazy(() => import('../../canvas/picture.tsx'))

export type View = 'picture' | 'outline' | 'code'

const everyMs = 5_000
const views = [
  { key: 'picture', label: 'Picture' },
  { key: 'outline', label: 'Outline' },
  { key: 'code', label: 'YAML and JSON' },
] as const

type CanvasViewsProps = {
  id: string
  /** The version that runs, whose counts are shown; undefined for a canvas that is not published yet. */
  version: number | undefined
  outline: InWords
  edits: Draft<Definition>
  name: string
  readOnly: string | undefined
  view: View
  onView: (view: View) => void
  chosen: string | undefined
  canvas: CanvasEdits
  onOpen: (step: string, byKey: boolean) => void
}

/** A canvas that is edited as a picture, as an outline, or as text. The counts are those of the version that runs. */
export function CanvasViews(props: CanvasViewsProps) {
  const { id, version, outline, edits, name, readOnly, view, onView, chosen, canvas, onOpen } = props
  const { workspace } = useViewer()
  const isNarrow = useIsNarrow()
  const counts = getAdminCanvasesIdStanding(id, { workspace: workspace.id, ...(version !== undefined && { version }) })
  const standing = useQuery({ ...polling(counts, everyMs), enabled: version !== undefined })
  const shown = isNarrow && view === 'picture' ? 'outline' : view
  const drawn = { outline, standing: standing.data, chosen, onOpen, edits: canvas }
  return (
    <div>
      <Tabs
        label="How the canvas is shown"
        tabs={isNarrow ? views.filter(({ key }) => key !== 'picture') : views}
        selected={shown}
        onSelect={onView}
      >
        {shown === 'picture' && (
          <Suspense fallback={<LoadingRows what="the picture" />}>
            <Picture {...drawn} />
          </Suspense>
        )}
        {shown === 'outline' && <Outline {...drawn} />}
        {shown === 'code' && <CodeView edits={edits} name={name} readOnly={readOnly} />}
      </Tabs>
    </div>
  )
}
