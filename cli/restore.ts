import type { Line } from '../src/people/backup/people-lines.ts'
import type { Restored } from '../src/people/backup/restore.ts'
import { isObject } from '../src/people/values/values.ts'
import type { Desk } from './desk.ts'
import { written } from './progress.ts'
import { lineOf, type RecordRules } from './record.ts'
import type { Run } from './run.ts'
import type { Fields, Valued } from './values.ts'
import { note, type Shell } from './verb.ts'

/** Lines and bytes sent together. A line that alone has more goes alone, if it can. */
const batchLinesMax = 200
const batchBytesMax = 2_000_000

export type Restoring = {
  shell: Shell
  desk: Desk
  workspace: string | undefined
  /** Only asks what would be done. */
  plan: boolean
  run: Run
  share(): number | undefined
  /** Ids of the groups that the head of the file makes, or would make. */
  made: Set<string>
}

/** A line of an export, about how many bytes it has, and where it stands in the file. */
export type Item =
  | { number: number; line: Line; bytes: number; problem?: undefined }
  | { number: number; problem: string }

type Totals = Omit<Restored, 'left_out' | 'unknown_groups' | 'unknown_flows'> & {
  unknown_groups: Set<string>
  unknown_flows: Set<string>
  /** Whoever was left out last: told once, also when many lines are about them. */
  last: unknown
}

/** Puts everybody of a file into the workspace, batch by batch, and says what became of them. */
export async function restoreAll(items: AsyncIterable<Item>, restoring: Restoring): Promise<void> {
  const { run } = restoring
  const counts = { imported: 0, known: 0, tokens_left_out: 0, states_left_out: 0 }
  const totals: Totals = { ...counts, unknown_groups: new Set(), unknown_flows: new Set(), last: undefined }
  let batch: { number: number; line: Line }[] = []
  let bytes = 0
  const send = async (next: number): Promise<void> => {
    if (batch.length > 0) await restoreBatch(batch, totals, restoring)
    run.done(batch.filter(({ line }) => line.profile !== undefined).length, next, restoring.share())
    batch = []
    bytes = 0
  }
  for await (const item of items) {
    if (item.number < run.next) continue
    if (item.problem !== undefined) {
      run.refuse(item.number, item.problem)
      continue
    }
    if (item.bytes > restoring.desk.lineBytesMax) {
      run.refuse(item.number, `has ${written(item.bytes)} bytes, more than a server takes: stop it and import again`)
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
  run.close()
  report(totals, restoring)
}

async function restoreBatch(
  batch: readonly { number: number; line: Line }[],
  totals: Totals,
  { desk, workspace, plan, run }: Restoring,
): Promise<void> {
  const lines = batch.map(({ line }) => line)
  const { left_out, unknown_groups, unknown_flows, ...counts } = await desk.writePeople(lines, plan, workspace)
  for (const name of ['imported', 'known', 'tokens_left_out', 'states_left_out'] as const) totals[name] += counts[name]
  for (const id of unknown_groups) totals.unknown_groups.add(id)
  for (const name of unknown_flows) totals.unknown_flows.add(name)
  for (const { index, reason } of left_out) {
    const { number, line } = batch[index]!
    if (line.person !== undefined && line.person === totals.last) continue
    totals.last = line.person
    run.refuse(number, reason)
  }
}

function report(totals: Totals, { plan, run, made, shell }: Restoring): void {
  const { imported, known, tokens_left_out, states_left_out, unknown_groups, unknown_flows } = totals
  const verb = plan ? 'would be imported' : 'imported'
  note(
    shell,
    `${written(imported)} people ${verb}, ${written(known)} are here already, ${written(run.refused)} lines left out.`,
  )
  if (tokens_left_out > 0) note(shell, `${written(tokens_left_out)} push tokens stay with whoever has them here.`)
  if (states_left_out > 0) {
    note(
      shell,
      `${written(states_left_out)} states of addresses were kept by another installation and stay there; those of people's ` +
        'addresses came with the people.',
    )
  }
  for (const id of [...unknown_groups.difference(made)].sort())
    note(shell, `Subscription group ${id} is not here: its states are left out.`)
  for (const name of [...unknown_flows].sort()) note(shell, `${name} is not here: what people had of it is left out.`)
}

/** Makes the apps and subscription groups that a file's head names and the workspace lacks. */
export async function layGround(head: Fields, restoring: Restoring): Promise<void> {
  const { desk, workspace, plan, made, shell } = restoring
  const lacking: [string, Fields[]][] = []
  for (const member of ['apps', 'subscription_groups']) lacking.push([member, await lackingOf(head, member, restoring)])
  if (lacking.every(([, entries]) => entries.length === 0)) return
  const { bodyToFile } = await import('../src/workspace/file/entries.ts')
  const { configSections } = await import('../src/config-sections.ts')
  const { changes } = await desk.apply(bodyToFile(configSections, Object.fromEntries(lacking)), plan, workspace)
  for (const { member, name } of changes) note(shell, `+ ${member} ${name}`)
  for (const { id } of lacking.flatMap(([, entries]) => entries)) made.add(String(id))
}

async function lackingOf(head: Fields, member: string, { desk, workspace, shell }: Restoring): Promise<Fields[]> {
  const here = await desk.list(member, workspace)
  const given = head[member]
  const lacking = (Array.isArray(given) ? given.filter(isObject) : []).filter(
    ({ id }) => !here.some((one) => one.id === id),
  )
  const isTaken = ({ name }: Fields) => here.some((one) => one.name === name)
  for (const { id, name } of lacking.filter(isTaken)) {
    note(shell, `${member} ${String(name)}: the name is taken here, so that ${String(id)} is not made.`)
  }
  return lacking.filter((entry) => !isTaken(entry))
}

/** Records of `POST /users/export/ids` as lines of an export; what has no place in them is counted in `losses`. */
export async function* convert(
  values: AsyncIterable<Valued>,
  rules: RecordRules,
  losses: Map<string, number>,
): AsyncGenerator<Item> {
  for await (const each of values) {
    if (each.problem !== undefined) {
      yield each
      continue
    }
    const converted = lineOf(each.value, rules)
    if (typeof converted === 'string') {
      yield { number: each.number, problem: converted }
      continue
    }
    for (const [what, count] of Object.entries(converted.losses)) losses.set(what, (losses.get(what) ?? 0) + count)
    const bytes = Buffer.byteLength(JSON.stringify(converted.line))
    yield { number: each.number, line: converted.line, bytes }
  }
}
