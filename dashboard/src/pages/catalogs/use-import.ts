import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { announce } from '../../frame/toast.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { formatCount } from '../../words/numbers.ts'
import { type Answer, lookAt, type NewField, runImport, type Summary } from './run-import.ts'

/** How far an import is. */
export type Stage =
  | { readonly at: 'choosing' | 'looking' }
  | { readonly at: 'columns'; readonly look: Answer }
  | { readonly at: 'planning' | 'importing'; readonly share: number }
  | {
      readonly at: 'planned' | 'done'
      readonly look: Answer
      readonly new_fields: readonly NewField[]
      readonly summary: Summary
    }
  | { readonly at: 'failed'; readonly error: unknown; readonly written?: Summary | undefined }

/** The import of a file: it is looked at, planned as a whole, and then written. A part that is shown no more stops it. */
export function useImport(catalog: string) {
  const { workspace } = useViewer()
  const queries = useQueryClient()
  const stop = useRef(new AbortController())
  const chosen = useRef<File>(undefined)
  const [stage, setStage] = useState<Stage>({ at: 'choosing' })
  useEffect(() => () => stop.current.abort(), [])

  /** Begins some work; what was under way ends. Shows its stages until it is stopped itself. */
  const begin = (first: Stage, work: (run: Run, show: (stage: Stage) => void) => Promise<Stage>) => {
    const file = chosen.current
    if (!file) return
    stop.current.abort()
    stop.current = new AbortController()
    const { signal } = stop.current
    const show = (next: Stage) => {
      if (!signal.aborted) setStage(next)
    }
    show(first)
    work({ catalog, workspace: workspace.id, file, signal }, show).then(show, (error) => show({ at: 'failed', error }))
  }
  const planned = async (run: Run, show: (stage: Stage) => void, look: Answer, new_fields: readonly NewField[]) => {
    const onPart = ({ share }: Summary) => show({ at: 'planning', share })
    const summary = await runImport({ ...run, new_fields, isPlan: true }, look.separator, onPart)
    // A file without any line has no parts, but it was looked at.
    const refused = run.file.size === 0 ? look.refused : summary.refused
    return { at: 'planned', look, new_fields, summary: { ...summary, refused } } as const
  }
  const choose = (file: File) => {
    chosen.current = file
    begin({ at: 'looking' }, async (run, show) => {
      const look = await lookAt(run)
      if (look.unknown_columns.length > 0) return { at: 'columns', look }
      show({ at: 'planning', share: 0 })
      return planned(run, show, look, [])
    })
  }
  const plan = (look: Answer, new_fields: readonly NewField[]) =>
    begin({ at: 'planning', share: 0 }, (run, show) => planned(run, show, look, new_fields))
  const write = (look: Answer, new_fields: readonly NewField[]) =>
    begin({ at: 'importing', share: 0 }, async (run, show) => {
      let written: Summary | undefined
      const onPart = (summary: Summary) => {
        written = summary
        show({ at: 'importing', share: summary.share })
      }
      try {
        const summary = await runImport({ ...run, new_fields, isPlan: false }, look.separator, onPart)
        announce(`Imported: ${formatCount(summary.made)} made, ${formatCount(summary.replaced)} replaced.`)
        return { at: 'done', look, new_fields, summary }
      } catch (error) {
        return { at: 'failed', error, written }
      } finally {
        await queries.invalidateQueries()
      }
    })
  return { stage, choose, plan, write }
}

type Run = { readonly catalog: string; readonly workspace: string; readonly file: File; readonly signal: AbortSignal }
