import { call } from '../../api/call.ts'
import {
  type PostAdminCatalogsIdImportBody,
  type PostAdminCatalogsIdImportReply,
  postAdminCatalogsIdImport,
} from '../../api/generated.ts'
import { beginningOf, partsOf } from './csv-parts.ts'

export type NewField = NonNullable<PostAdminCatalogsIdImportBody['new_fields']>[number]
export type Answer = PostAdminCatalogsIdImportReply

export type ImportRun = {
  readonly catalog: string
  readonly workspace: string
  readonly file: File
  readonly new_fields: readonly NewField[]
  readonly isPlan: boolean
  readonly signal: AbortSignal
}

/** What the answers to the parts say together, and which part of the file they are about. */
export type Summary = {
  readonly made: number
  readonly replaced: number
  readonly refused: Answer['refused']
  readonly kept_fields: Answer['kept_fields']
  readonly share: number
}

const nothing: Summary = { made: 0, replaced: 0, refused: [], kept_fields: [], share: 0 }

/** Asks the server what the beginning of a file is: its separator, header, and columns that are no fields. Writes nothing. */
export async function lookAt({ catalog, workspace, file, signal }: Omit<ImportRun, 'new_fields' | 'isPlan'>) {
  const csv = await beginningOf(file)
  return call(postAdminCatalogsIdImport(catalog, { csv }, { workspace, plan: 'true' }), signal)
}

/** Plans or imports a file part by part. Calls `onPart` after each. Stops at the first request that fails. */
export async function runImport(
  run: ImportRun,
  separator: string,
  onPart: (summary: Summary) => void,
): Promise<Summary> {
  const { catalog, workspace, file, new_fields, isPlan, signal } = run
  const lines = new Map<string, number>()
  let summary = nothing
  let before: Answer | undefined
  for await (const { csv, bytesRead } of partsOf(file, separator)) {
    const body = { csv, new_fields, ...(before && laterPart(before, csv, summary.made, lines)) }
    const answer: Answer = await call(
      postAdminCatalogsIdImport(catalog, body, { workspace, plan: isPlan ? 'true' : 'false' }),
      signal,
    )
    for (const { id, line } of answer.ids) lines.set(id, line)
    summary = added(summary, answer, bytesRead / file.size)
    // A mistake in the header is the same for every part.
    if (before === undefined && answer.refused.some(({ line }) => line === 1)) break
    before = answer
    onPart(summary)
  }
  return summary
}

/** What a later part repeats. Of the ids that the server has named, it gets those that may stand in the part. */
function laterPart(
  { header, separator, next_line }: Answer,
  csv: string,
  made: number,
  lines: ReadonlyMap<string, number>,
): Omit<PostAdminCatalogsIdImportBody, 'csv'> {
  const words = new Set(csv.match(/[\w-]+/g))
  const ids = [...words].flatMap((id) => (lines.has(id) ? [{ id, line: lines.get(id)! }] : []))
  return { header, separator, first_line: next_line, earlier: { made, ids } }
}

function added(summary: Summary, { made, replaced, refused, kept_fields }: Answer, share: number): Summary {
  return {
    made: summary.made + made,
    replaced: summary.replaced + replaced,
    refused: [...summary.refused, ...refused],
    kept_fields,
    share,
  }
}
