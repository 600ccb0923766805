import type { BackupLine } from '../src/people/backup/backup-lines.ts'
import type { RestoreReply } from '../src/people/backup/restore-people.ts'
import { isObject } from '../src/people/values/values.ts'
import type { AdminAccess } from './admin-access.ts'
import { note, type Outcome, type Shell } from './command.ts'
import { type FileRun, outcomeOf, reportRefused } from './file-run.ts'
import type { Fields, FileObject } from './json-objects.ts'
import { formatCount } from './progress.ts'
import { lineFromRecord, type RecordRules } from './record-to-line.ts'

/** The most lines and bytes in a batch. A longer line is sent alone, if the server accepts it. */
const batchLinesMax = 200
const batchBytesMax = 2_000_000

export type RestoreJob = {
  shell: Shell
  access: AdminAccess
  workspace: string | undefined
  /** Whether to report only what would be imported. */
  plan: boolean
  run: FileRun
  share(): number | undefined
  /** Ids of the apps and groups that the head of the file creates or would create. */
  made: Set<string>
}

/** A line of an export with its approximate bytes, its number and text in the file, or the problem with it. */
export type RestoreItem = { readonly number: number; readonly text: string } & (
  | { readonly line: BackupLine; readonly bytes: number; readonly problem?: undefined }
  | { readonly problem: string }
)

type Totals = Omit<RestoreReply, 'left_out' | 'unknown_groups' | 'unknown_flows' | 'cohorts_left_out'> & {
  unknown_groups: Set<string>
  unknown_flows: Set<string>
  cohorts_left_out: Set<string>
  /** The person who was skipped last. A person with several lines is reported once. */
  lastSkipped: unknown
}

/** Imports the people of a file into the workspace, batch by batch, and prints how many were imported. */
export async function restoreAll(items: AsyncIterable<RestoreItem>, job: RestoreJob): Promise<Outcome> {
  const { run } = job
  const counts = { imported: 0, known: 0, tokens_left_out: 0, states_left_out: 0 }
  const totals: Totals = {
    ...counts,
    unknown_groups: new Set(),
    unknown_flows: new Set(),
    cohorts_left_out: new Set(),
    lastSkipped: undefined,
  }
  let batch: Extract<RestoreItem, { line: BackupLine }>[] = []
  let bytes = 0
  const send = async (next: number): Promise<void> => {
    if (batch.length > 0) await restoreBatch(batch, totals, job)
    await run.done(batch.filter(({ line }) => line.profile !== undefined).length, next, job.share())
    batch = []
    bytes = 0
  }
  for await (const item of items) {
    if (item.number < run.next) continue
    if (item.problem !== undefined) {
      run.refuse(item.number, item.problem, item.text)
      continue
    }
    if (item.bytes > job.access.lineBytesMax) {
      run.refuse(
        item.number,
        `has ${formatCount(item.bytes)} bytes, more than a server accepts: stop the server and import again`,
        item.text,
      )
      continue
    }
    if (batch.length === batchLinesMax || (batch.length > 0 && bytes + item.bytes > batchBytesMax)) {
      await send(item.number)
      if (run.stopping) break
    }
    batch.push(item)
    bytes += item.bytes
  }
  if (!run.stopping) {
    await send((batch.at(-1)?.number ?? run.next - 1) + 1)
    run.ended = true
  }
  await run.close()
  report(totals, job)
  return restoredOf(totals, job)
}

function restoredOf({ lastSkipped: _, ...totals }: Totals, { plan, run, made }: RestoreJob): Outcome {
  const { unknown_groups, unknown_flows, cohorts_left_out } = totals
  const unknown = { unknown_groups: [...unknown_groups.difference(made)], unknown_flows: [...unknown_flows] }
  return outcomeOf(run, { plan, ...totals, ...unknown, cohorts_left_out: [...cohorts_left_out] })
}

async function restoreBatch(
  batch: readonly Extract<RestoreItem, { line: BackupLine }>[],
  totals: Totals,
  { access, workspace, plan, run }: RestoreJob,
): Promise<void> {
  const lines = batch.map(({ line }) => line)
  const reply = await access.writePeople(lines, plan, workspace)
  const { left_out, unknown_groups, unknown_flows, cohorts_left_out, ...counts } = reply
  for (const name of ['imported', 'known', 'tokens_left_out', 'states_left_out'] as const) totals[name] += counts[name]
  for (const id of unknown_groups) totals.unknown_groups.add(id)
  for (const name of unknown_flows) totals.unknown_flows.add(name)
  for (const name of cohorts_left_out) totals.cohorts_left_out.add(name)
  for (const { index, reason } of left_out) {
    const { number, line, text } = batch[index]!
    const isReported = line.person !== undefined && line.person === totals.lastSkipped
    totals.lastSkipped = line.person
    if (isReported) run.addRefused(number, reason, text)
    else run.refuse(number, reason, text)
    // The server names the first line of a person in a request. The further ones are left out with it.
    for (const further of batch.slice(index + 1)) {
      if (line.person === undefined || further.line.person !== line.person) break
      run.addRefused(further.number, reason, further.text)
    }
  }
}

function report(totals: Totals, { plan, run, made, shell }: RestoreJob): void {
  const { imported, known, tokens_left_out, states_left_out, unknown_groups, unknown_flows, cohorts_left_out } = totals
  const action = plan ? 'would be imported' : 'imported'
  note(
    shell,
    `${formatCount(imported)} people ${action}, ${formatCount(known)} exist already, ${formatCount(run.refused)} lines skipped.`,
  )
  if (tokens_left_out > 0)
    note(shell, `${formatCount(tokens_left_out)} push tokens not imported: other people have them here.`)
  if (states_left_out > 0) {
    note(
      shell,
      `${formatCount(states_left_out)} states of addresses not imported: their hashes are of another installation. The states ` +
        'of the addresses that people have were imported with the people.',
    )
  }
  for (const id of [...unknown_groups.difference(made)].sort())
    note(shell, `Subscription group ${id} does not exist here: its states are not imported.`)
  for (const name of [...unknown_flows].sort())
    note(shell, `${name} does not exist here: what people received from it is not imported.`)
  for (const name of [...cohorts_left_out].sort())
    note(shell, `Cohort ${name} does not fit into the workspace: its members are imported without it.`)
  reportRefused(run, shell)
}

/** Creates the apps, subscription groups and cohorts in the head of a file that the workspace does not have. */
export async function createMissingEntries(head: Fields, job: RestoreJob): Promise<void> {
  const { access, workspace, plan, made, shell } = job
  if (Array.isArray(head.cohorts) && head.cohorts.length > 0) await createCohorts(head, job)
  const lacking: [string, Fields[]][] = []
  for (const member of ['apps', 'subscription_groups']) lacking.push([member, await listMissing(head, member, job)])
  if (lacking.every(([, entries]) => entries.length === 0)) return
  const { bodyToFile } = await import('../src/workspace/file/entries.ts')
  const { configSections } = await import('../src/config-sections.ts')
  const { changes } = await access.apply(bodyToFile(configSections, Object.fromEntries(lacking)), plan, workspace)
  for (const { member, name } of changes) note(shell, `+ ${member} ${name}`)
  for (const { id } of lacking.flatMap(([, entries]) => entries)) made.add(String(id))
}

/** Creates the cohorts with their times. People have only the names of their cohorts. */
async function createCohorts({ easel, version, cohorts }: Fields, { access, workspace, plan, shell }: RestoreJob) {
  const { left_out, cohorts_left_out } = await access.writePeople([{ easel, version, cohorts }], plan, workspace)
  for (const { reason } of left_out) note(shell, `The head of the file ${reason}: its cohorts are not created.`)
  for (const name of cohorts_left_out) note(shell, `Cohort ${name} does not fit into the workspace.`)
}

async function listMissing(head: Fields, member: string, { access, workspace, shell }: RestoreJob): Promise<Fields[]> {
  const here = await access.list(member, workspace)
  const given = head[member]
  const lacking = (Array.isArray(given) ? given.filter(isObject) : []).filter(
    ({ id }) => !here.some((one) => one.id === id),
  )
  const isTaken = ({ name }: Fields) => here.some((one) => one.name === name)
  for (const { id, name } of lacking.filter(isTaken)) {
    note(shell, `${member} ${String(name)}: the name is taken here, so ${String(id)} is not created.`)
  }
  return lacking.filter((entry) => !isTaken(entry))
}

/** Converts records of `POST /users/export/ids` to lines of an export. Counts the dropped objects in `losses`. */
export async function* linesFromRecords(
  values: AsyncIterable<FileObject>,
  rules: RecordRules,
  losses: Map<string, number>,
): AsyncGenerator<RestoreItem> {
  for await (const each of values) {
    if (each.problem !== undefined) {
      yield each
      continue
    }
    const converted = lineFromRecord(each.value, rules)
    if (typeof converted === 'string') {
      yield { number: each.number, text: each.text, problem: converted }
      continue
    }
    for (const [what, count] of Object.entries(converted.losses)) losses.set(what, (losses.get(what) ?? 0) + count)
    const bytes = Buffer.byteLength(JSON.stringify(converted.line))
    yield { number: each.number, text: each.text, line: converted.line, bytes }
  }
}
