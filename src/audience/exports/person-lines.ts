import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { loadPeople, nameIdsIn, recordsOf, summaryWindowMs } from '../../people/export/records.ts'
import type { Person } from '../../people/identity/person.ts'
import type { FlowOutlines } from '../../people/received/flow-outlines.ts'
import { findNamesById } from '../../workspace/names/names.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { pagePeople } from '../conditions/select-people.ts'
import type { Tree } from '../conditions/tree.ts'
import type { PlainFile } from './archive.ts'
import { type ExportRequest, filePeopleMax } from './schema.ts'

/** The most people of one query. Their profiles are loaded page by page (`loadPeople`). */
const queryPeople = 1_000

export type LineServices = {
  db: Db
  clock: Clock
  workspaces: Workspaces
  flowOutlines: FlowOutlines
  serviceName: string
  formatServiceId(profile_id: string): string
}

/** The lines of some people, the number of these people, and the ids of all people with data in the lines. */
export type LinePage = { readonly count: number; readonly lines: Uint8Array; readonly ids: readonly string[] }

/**
 * Writes the people of a segment as lines of JSON, page by page. Each page has the data of its own moment, and is in one file. Throws the
 * reason of `signal` when it is aborted.
 */
export async function* linePages(
  workspace_id: number,
  tree: Tree,
  request: ExportRequest,
  services: LineServices,
  signal: AbortSignal,
): AsyncGenerator<LinePage> {
  const nowMs = services.clock.now()
  const write = lineWriter(workspace_id, request, nowMs, services)
  let after: Person | undefined
  let inFile = 0
  for (;;) {
    signal.throwIfAborted()
    const limit = Math.min(queryPeople, filePeopleMax - inFile)
    const { people, next } = await pagePeople(services.db, workspace_id, tree, nowMs, {
      ...(after && { after }),
      limit,
    })
    for (let left: readonly Person[] = people; left.length > 0; ) {
      signal.throwIfAborted()
      const { rest, ...page } = await write(left)
      if (page.count > 0) yield page
      inFile = (inFile + page.count) % filePeopleMax
      left = rest
    }
    if (next === undefined) return
    after = next
  }
}

/**
 * Returns a function that writes the first page of people as lines, and returns the others. A person who was removed meanwhile has no
 * line.
 */
function lineWriter(workspace_id: number, request: ExportRequest, nowMs: number, services: LineServices) {
  const { db, workspaces, flowOutlines, serviceName, formatServiceId } = services
  const fields = new Set(request.fields)
  const onlyAttributes = fields.has('custom_attributes') ? undefined : new Set(request.custom_attributes)
  if (request.custom_attributes.length > 0) fields.add('custom_attributes')
  const sinceUs = (nowMs - summaryWindowMs) * 1000
  return async (people: readonly Person[]): Promise<LinePage & { readonly rest: readonly Person[] }> => {
    const loaded = await db.transaction((tx) => loadPeople(tx, people, fields, sinceUs, flowOutlines), {
      settings: readOnlySnapshot,
    })
    if (onlyAttributes) {
      for (const profile of loaded.profiles) {
        profile.custom = Object.fromEntries(Object.entries(profile.custom).filter(([name]) => onlyAttributes.has(name)))
      }
    }
    const names = await findNamesById(db, nameIdsIn(loaded))
    const { apps } = workspaces.get(workspace_id)
    const words = { names, apps, serviceIdName: `${serviceName}_id`, formatServiceId }
    const lines = recordsOf(loaded, fields, words).map((record) => `${JSON.stringify(record)}\n`)
    const { rest } = loaded
    const ids = people.slice(0, people.length - rest.length).map(({ profile_id }) => profile_id)
    return { count: lines.length, lines: Buffer.from(lines.join('')), ids, rest }
  }
}

/** The counts of the written files and people. */
export type WrittenCounts = { files: number; people: number }

/** Divides pages into files of `filePeopleMax` people; an empty segment gives one empty file. Read each file to its end before the next. */
export async function* toFiles(
  pages: AsyncGenerator<LinePage>,
  prefix: string,
  written: WrittenCounts,
): AsyncGenerator<PlainFile> {
  let page = await pages.next()
  async function* linesOfOne(): AsyncGenerator<Uint8Array> {
    for (let count = 0; !page.done && count < filePeopleMax; page = await pages.next()) {
      yield page.value.lines
      count += page.value.count
      written.people += page.value.count
    }
  }
  try {
    do {
      written.files++
      yield { name: `${prefix}-${String(written.files).padStart(4, '0')}.json`, lines: linesOfOne() }
    } while (!page.done)
  } finally {
    await pages.return(undefined)
  }
}
