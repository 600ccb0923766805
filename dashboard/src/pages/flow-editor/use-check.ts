import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { asking } from '../../api/queries.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import type { Outline } from '../../canvas/words.ts'
import { type Mistake, readMistakes } from '../../draft/mistakes.ts'
import { useViewer } from '../../frame/viewer.tsx'
import type { FlowRef } from '../flows/flow-words.ts'
import { flowOperations } from './operations.ts'

/** The server is asked when nothing was changed for so long. */
const restMs = 400

/** What the server says about a definition that is edited. */
export type Check = {
  readonly mistakes: readonly Mistake[]
  /** The sentence of each step, by its id. */
  readonly sentences: Readonly<Record<string, string>>
  readonly outline: Outline | null
  /** The answer is about the definition as it stands. */
  readonly isCurrent: boolean
  readonly error: unknown
  again(): void
}

const none: Readonly<Record<string, string>> = {}

/** Has a definition checked by the server when the edits rest. An answer belongs to its question, so late answers change nothing. */
export function useCheck({ kind, id }: FlowRef, document: Definition): Check {
  const { workspace } = useViewer()
  const rested = useRested(document)
  const read = useQuery({
    ...asking(flowOperations[kind].check({ id, definition: rested }, { workspace: workspace.id })),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const { data } = read
  const mistakes = useMemo(() => readMistakes(data?.mistakes ?? []), [data])
  return {
    mistakes,
    sentences: data?.sentences ?? none,
    outline: data?.outline ?? null,
    isCurrent: data !== undefined && !read.isPlaceholderData && rested === document,
    error: read.error,
    again: () => void read.refetch(),
  }
}

function useRested<Value>(value: Value): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
