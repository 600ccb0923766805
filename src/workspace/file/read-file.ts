import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../base/call.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import { joinPath } from '../settings/mistake.ts'
import { fileBytesMax } from '../settings/schema.ts'
import { getWorkspace, selected } from '../settings/selected.ts'
import type { ConfigSection } from './config-section.ts'
import { fileFormats } from './schema.ts'
import { toFile, yamlPieces } from './write-file.ts'

/** The part of a text that is written in one turn of the process. */
const turnCharacters = 100_000
const sealedNote = 'is not in this file; write its text to apply the file to another installation'

/** A secret that a file leaves out: the path of its entry, and the member. */
export type OmittedSecret = { readonly path: string; readonly member: string; readonly note: string }

export type FileReply = { readonly file: string | object; readonly omitted: readonly OmittedSecret[] }

/**
 * Reads a workspace as a workspace file without secrets, from one snapshot. Throws 409 when it is larger than a file may be: then
 * `?sections=` reads it in parts.
 */
export async function readFile(
  call: Call,
  sections: readonly ConfigSection[],
  request: Pick<Request, 'query'>,
): Promise<FileReply> {
  const format = readSingle(request.query, 'format') ?? 'yaml'
  if (format !== 'yaml' && format !== 'json') throw invalid(`'format' must be ${fileFormats.join(' or ')}`)
  const chosen = chooseSections(sections, readSingle(request.query, 'sections'))
  const id = selected(request as Request)
  const file = await call.db.transaction(
    async (tx) => {
      const { workspace_id, settings, ...workspace } = await getWorkspace(tx, id)
      const entries = new Map<string, Record<string, unknown>[]>()
      for (const section of chosen.sections) {
        entries.set(
          section.name,
          (await section.list(tx, workspace_id)).map((entry) => section.toReply(entry)),
        )
      }
      return toFile(chosen.sections, { workspace, settings: chosen.hasSettings ? settings : {}, entries })
    },
    { settings: readOnlySnapshot },
  )
  refuseLarge(file)
  const omitted = omittedSecrets(chosen.sections, file)
  return { file: format === 'json' ? file : await writeText(chosen.sections, file), omitted }
}

/** Reads `?sections=apps,segments`; `settings` is one of them. Everything when absent. */
function chooseSections(sections: readonly ConfigSection[], given: string | undefined) {
  if (given === undefined) return { sections, hasSettings: true }
  const names = given.split(',')
  const known = ['settings', ...sections.map(({ name }) => name)]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw invalid(`'sections' must be names of sections with commas between: ${known.join(', ')}`)
  }
  return { sections: sections.filter(({ name }) => names.includes(name)), hasSettings: names.includes('settings') }
}

function refuseLarge(file: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(file))
  if (bytes <= fileBytesMax) return
  throw conflict(
    `The file of this workspace would have ${bytes} bytes, and a file may have ${fileBytesMax}: ` +
      'read it in parts, such as ?sections=settings,segments',
  )
}

function omittedSecrets(sections: readonly ConfigSection[], file: Record<string, unknown>): OmittedSecret[] {
  return sections.flatMap(({ name, secret }) => {
    const entries = (file[name] ?? []) as readonly object[]
    return entries.flatMap((entry, i) => {
      const path = `${name}[${i}]`
      return [...(secret === undefined ? [] : [{ path, ...secret }]), ...sealedIn(entry, path)]
    })
  })
}

/** Finds what stands for a text that is stored encrypted, such as a header of a webhook: `{sealed: true}`. */
function sealedIn(value: unknown, path: string): OmittedSecret[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => {
    const isSealed = isDeepStrictEqual(each, { sealed: true })
    if (isSealed) return [{ path, member: key, note: sealedNote }]
    return sealedIn(each, Array.isArray(value) ? `${path}[${key}]` : joinPath(path, key))
  })
}

async function writeText(sections: readonly ConfigSection[], file: Record<string, unknown>): Promise<string> {
  let text = ''
  let written = 0
  for (const piece of yamlPieces(sections, file)) {
    text += piece
    written += piece.length
    if (written < turnCharacters) continue
    written = 0
    await nextTurn()
  }
  return text
}
