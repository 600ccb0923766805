import { basename, dirname, join } from 'node:path'
import type { Shell } from './command.ts'
import type { RunFiles } from './file-run.ts'
import { digestOf, openImportState } from './import-state.ts'
import { openRefusedLines } from './refused-lines.ts'
import type { Source } from './source.ts'

export type FilesOrder = {
  readonly path: string
  readonly source: Source
  readonly shell: Shell
  readonly options: {
    readonly from?: number
    readonly restart?: boolean
    readonly refused?: string
    readonly encoding?: string
  }
}

const endings = /\.(csv|tsv|txt|json|jsonl|ndjson|zip)$/i
const byteOrderMark = '\ufeff'

/**
 * Opens the files of an import: how far it has come, and what it refuses. `target` is what else has to be the same when it is continued.
 * `ending` is that of the file of refused lines.
 */
export async function openImportFiles(
  { path, source, shell, options }: FilesOrder,
  target: readonly unknown[],
  ending: string,
): Promise<Required<RunFiles>> {
  const { from, restart = false, refused, encoding } = options
  // A folder may be named with a slash at its end.
  const place = join(dirname(path), basename(path))
  const isFile = source.identity !== undefined
  const state = await openImportState({
    shell,
    path: isFile ? `${place}.progress` : undefined,
    identity: { file: source.identity ?? '', options: digestOf([encoding, ...target]) },
    from,
    restart,
  })
  const stem = place.replace(/\.gz$/i, '').replace(endings, '')
  const usualPath = (n: number) => `${stem}.refused${n === 1 ? '' : `-${n}`}${ending}`
  // The mark says that the lines are UTF-8, also when --encoding names that of the file.
  const mark = encoding === undefined ? '' : byteOrderMark
  try {
    const lines = await openRefusedLines(refused, isFile ? usualPath : undefined, state.refused, mark)
    return { state, refused: lines, placeOf: source.placeOf }
  } catch (error) {
    // Nothing was imported, unless an interrupted import is continued.
    if (!state.isContinued) await state.remove()
    throw error
  }
}
