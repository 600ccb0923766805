import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { loadPeople, nameIdsIn, recordsOf, snapshot, summaryWindowMs } from '../../people/export/records.ts'
import type { Person } from '../../people/identity/person.ts'
import type { FlowOutlines } from '../../people/received/flow-outlines.ts'
import { findNamesById } from '../../workspace/names/names.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { pagePeople } from '../conditions/select-people.ts'
import type { Tree } from '../conditions/tree.ts'
import type { PlainFile } from './archive.ts'
import { type ExportRequest, filePeopleMax } from './schema.ts'

/** People who are looked for at a time, and of whom everything is in memory at a time. */
const foundMax = 1_000
const loadedMax = 250

export type LineServices = {
  db: Db
  clock: Clock
  workspaces: Workspaces
  flowOutlines: FlowOutlines
  serviceName: string
  formatServiceId(profile_id: string): string
}

/** Lines of a few people, and how many these are. */
export type LinePage = { readonly count: number; readonly lines: Uint8Array }

/**
 * The records of everybody in a segment, a line of JSON each, page by page. A page is as of its own time, and no page reaches from one
 * file into the next. Ends with the error of `signal` when that is aborted.
 */
export async function* linePages(
  workspace_id: number,
  tree: Tree,
  asked: ExportRequest,
  parts: LineServices,
  signal: AbortSignal,
): AsyncGenerator<LinePage> {
  const nowMs = parts.clock.now()
  const write = lineWriter(workspace_id, asked, nowMs, parts)
  let after: Person | undefined
  let inFile = 0
  for (;;) {
    signal.throwIfAborted()
    const limit = Math.min(foundMax, filePeopleMax - inFile)
    const { people, next } = await pagePeople(parts.db, workspace_id, tree, nowMs, { ...(after && { after }), limit })
    for (let from = 0; from < people.length; from += loadedMax) {
      signal.throwIfAborted()
      const page = await write(people.slice(from, from + loadedMax))
      if (page.count > 0) yield page
      inFile = (inFile + page.count) % filePeopleMax
    }
    if (next === undefined) return
    after = next
  }
}

/** What makes lines of people; whoever is gone by now has none. */
function lineWriter(workspace_id: number, asked: ExportRequest, nowMs: number, parts: LineServices) {
  const { db, workspaces, flowOutlines, serviceName, formatServiceId } = parts
  const fields = new Set(asked.fields)
  const named = fields.has('custom_attributes') ? undefined : new Set(asked.custom_attributes)
  if (asked.custom_attributes.length > 0) fields.add('custom_attributes')
  const sinceUs = (nowMs - summaryWindowMs) * 1000
  return async (people: readonly Person[]): Promise<LinePage> => {
    const loaded = await db.transaction((tx) => loadPeople(tx, people, fields, sinceUs, flowOutlines), {
      settings: snapshot,
    })
    if (named) {
      for (const profile of loaded.profiles) {
        profile.custom = Object.fromEntries(Object.entries(profile.custom).filter(([name]) => named.has(name)))
      }
    }
    const names = await findNamesById(db, nameIdsIn(loaded))
    const { apps } = workspaces.get(workspace_id)
    const words = { names, apps, serviceIdName: `${serviceName}_id`, formatServiceId }
    const lines = recordsOf(loaded, fields, words).map((record) => `${JSON.stringify(record)}\n`)
    return { count: lines.length, lines: Buffer.from(lines.join('')) }
  }
}

/** What has been written so far. */
export type WrittenCounts = { files: number; people: number }

/** Pages as files of `filePeopleMax` people; nobody at all is one empty file. They are read in their order, each to its end. */
export async function* toFiles(
  pages: AsyncGenerator<LinePage>,
  prefix: string,
  tally: WrittenCounts,
): AsyncGenerator<PlainFile> {
  let page = await pages.next()
  async function* linesOfOne(): AsyncGenerator<Uint8Array> {
    for (let count = 0; !page.done && count < filePeopleMax; page = await pages.next()) {
      yield page.value.lines
      count += page.value.count
      tally.people += page.value.count
    }
  }
  try {
    do {
      tally.files++
      yield { name: `${prefix}-${String(tally.files).padStart(4, '0')}.json`, lines: linesOfOne() }
    } while (!page.done)
  } finally {
    await pages.return(undefined)
  }
}
