import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { invalid } from '../../base/errors.ts'
import { nextProfileId } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { resolveNameIds } from '../../workspace/names/names.ts'
import { getInstallation } from '../../workspace/settings/installation-store.ts'
import { getWorkspace } from '../../workspace/settings/selected.ts'
import { listAllGroups } from '../../workspace/settings/store.ts'
import type { TimedCohort } from '../cohorts/cohort-store.ts'
import { findHeld } from '../identity/contact-store.ts'
import { findIdentifiers } from '../identity/identifier-store.ts'
import { addressHasher, bucketOfId, type Person, person } from '../identity/person.ts'
import { findPendingDeletions } from '../merge/pending-deletion-store.ts'
import { keepAttributeNames } from '../profile/attribute-names.ts'
import { typeOf } from '../profile/attribute-types.ts'
import { listFlowIds } from '../received/flow-outline-store.ts'
import { isObject } from '../values/values.ts'
import { type BackupRow, confirmations, flowText, memberships, received, receivedSteps } from './backup-tables.ts'
import {
  decideAll,
  type IncomingPerson,
  identifiersOf,
  type RestoreDecision,
  type RestoreFacts,
} from './decide-restore.ts'
import { type PersonLine, parseLine, type StatesLine } from './parse-line.ts'
import { countForeignStates, restoreAddressStates } from './restore-address-states.ts'
import { restoreCohorts } from './restore-cohorts.ts'
import { listPresent, lockParts } from './restore-store.ts'
import { type NameIds, type RestoreWriting, writePeople } from './write-people.ts'

/** The largest number of lines in one request. */
export const linesMax = 1_000

export type RestoreReply = {
  /** People who were imported, and people who existed already. */
  imported: number
  known: number
  /** Lines, counted from 0, that were not imported, with the reason. All other lines were imported. */
  left_out: { index: number; reason: string }[]
  /** Ids of subscription groups that the workspace does not have. Their states were not imported. */
  unknown_groups: string[]
  /** Canvases and campaigns that the workspace does not have, with their names in lines. */
  unknown_flows: string[]
  /** Cohorts, as `<partner>:<id>`, for which the workspace has no room. People were imported without them. */
  cohorts_left_out: string[]
  /** Push tokens that other people of the workspace already have. */
  tokens_left_out: number
  /** States of addresses that were hashed by another installation or workspace. */
  states_left_out: number
}

/**
 * Imports lines of a backup into a workspace, in one transaction. Existing people do not change, so that importing the same lines again has
 * no effect. With `plan`, returns what would happen and writes nothing.
 */
export async function restorePeople(
  call: Call,
  body: unknown,
  plan: boolean,
  workspace?: string,
): Promise<RestoreReply> {
  const lines = isObject(body) ? body.lines : undefined
  if (!Array.isArray(lines)) throw invalid("'lines' must be a list of lines of an export")
  if (lines.length > linesMax) throw invalid(`'lines' may not hold more than ${linesMax} lines`)
  const { workspace_id } = await getWorkspace(call.db, workspace)
  const { incoming, states, cohorts: listed, refused } = readLines(lines, workspace_id, call)
  const numbers = plan ? undefined : await findNameIds(call, workspace_id, incoming)
  if (numbers) await keepAttributes(call, workspace_id, incoming)
  const work = async (tx: Tx): Promise<RestoreReply> => {
    const hashAddress = addressHasher((await getInstallation(tx)).secret)
    const facts = await gatherFacts(tx, workspace_id, incoming)
    const decisions = decideAll(incoming, facts)
    const groups = await groupsOf(tx, workspace_id)
    const flows = new Map((await listFlowIds(tx, workspace_id)).map((flow) => [flowText(flow), flow.flow_id]))
    const written = incoming.flatMap((each, i) => {
      const decision = decisions[i]!
      return decision.outcome === 'write' ? [{ ...each, isNew: decision.isNew, lines: decision.lines }] : []
    })
    const { cohorts, leftOut } = await restoreCohorts(tx, call, workspace_id, listed, written, plan)
    const stampUs = call.clock.stamp()
    const newId = (bucket: number) => nextProfileId(bucket, call.clock.elapsed())
    const { owners } = facts
    const writing: RestoreWriting = { workspace_id, stampUs, newId, hashAddress, groups, flows, cohorts, owners }
    if (numbers) await restoreAddressStates(tx, written, states, writing)
    const tokensLeftOut = numbers ? await writePeople(tx, written, numbers, writing) : 0
    const statesLeftOut = countForeignStates(states, writing)
    const restored = describeRestore(incoming, decisions, refused, tokensLeftOut, statesLeftOut)
    if (numbers) {
      const { imported, known, left_out } = restored
      const after = { lines: lines.length, imported, known, left_out: left_out.length }
      await recordAudit(tx, call, {
        action: 'people.restore',
        target: { kind: 'people', id: 'people' },
        after,
        workspace_id,
      })
    }
    return {
      ...restored,
      unknown_groups: unknownIn(incoming, states, groups),
      unknown_flows: unknownFlows(incoming, flows),
      cohorts_left_out: leftOut,
    }
  }
  return call.db.transaction(work, { settings: shortLockTimeout, registersAs: plan ? 'nothing' : 'people' })
}

type ReadLines = {
  incoming: IncomingPerson[]
  states: StatesLine[]
  /** The cohorts in the heads. */
  cohorts: TimedCohort[]
  refused: RestoreReply['left_out']
}

/** Groups the lines by person. A person without an id gets one, in the bucket of the first identifier. */
function readLines(lines: readonly unknown[], workspace_id: number, { clock }: Call): ReadLines {
  const refused: RestoreReply['left_out'] = []
  const states: StatesLine[] = []
  const cohorts: TimedCohort[] = []
  const groups = new Map<string, { index: number; line: PersonLine }[]>()
  for (const [index, value] of lines.entries()) {
    const line = parseLine(value)
    if (typeof line === 'string') refused.push({ index, reason: line })
    else if (line.kind === 'states') states.push(line)
    else if (line.kind === 'head') cohorts.push(...line.cohorts)
    else {
      const group = groups.getOrInsertComputed(line.profile_id ?? `new ${index}`, () => [])
      if (group.some((other) => other.line.part === line.part)) refused.push({ index, reason: 'occurs twice' })
      else group.push({ index, line })
    }
  }
  const incoming = [...groups.values()].map((own): IncomingPerson => {
    const { line } = own[0]!
    const named = identifiersOf(workspace_id, line)
    const bucket = (named.names[0] ?? named.addresses[0])?.bucket ?? 0
    const id = line.profile_id ?? nextProfileId(bucket, clock.elapsed())
    return { person: person(bucketOfId(id), id), hasNewId: line.profile_id === undefined, lines: own, ...named }
  })
  return { incoming, states, cohorts, refused }
}

/** Finds the ids of names in transactions of their own, so that the import holds no locks on names. */
async function findNameIds({ db }: Call, workspace_id: number, incoming: readonly IncomingPerson[]): Promise<NameIds> {
  const all = incoming.flatMap(({ lines }) => lines.map(({ line }) => line))
  const texts = (rows: (line: PersonLine) => readonly BackupRow[], member: string) =>
    all.flatMap((line) => rows(line).map((row) => row[member])).filter((text) => typeof text === 'string')
  const events = (line: PersonLine) => line.events
  const purchases = (line: PersonLine) => line.purchases
  return {
    events: await resolveNameIds(db, workspace_id, 'event', texts(events, 'name')),
    products: await resolveNameIds(db, workspace_id, 'product', texts(purchases, 'product_id')),
    apps: await resolveNameIds(db, workspace_id, 'app', [...texts(events, 'app_id'), ...texts(purchases, 'app_id')]),
  }
}

async function keepAttributes({ db }: Call, workspace_id: number, incoming: readonly IncomingPerson[]): Promise<void> {
  const found = new Map<string, number>()
  for (const { line } of incoming.flatMap(({ lines }) => lines)) {
    for (const [name, value] of Object.entries(line.custom)) {
      const type = typeOf(value, Object.hasOwn(line.typed, name))
      found.set(name, (found.get(name) ?? 0) | type)
    }
  }
  if (found.size > 0) await keepAttributeNames(db, workspace_id, found)
}

/** Loads the existing data. Locks the imported parts first, so that concurrent imports of the same person wait here. */
async function gatherFacts(tx: Tx, workspace_id: number, incoming: readonly IncomingPerson[]): Promise<RestoreFacts> {
  const people = incoming.map((each) => each.person).sort(byId)
  const names = incoming.flatMap(({ names, tokens }) => [...names, ...tokens])
  const addresses = incoming.flatMap((each) => (each.hasNewId && each.names.length === 0 ? each.addresses : []))
  const [parts, present, pendingDeletions, owners, held] = await Promise.all([
    lockParts(tx, people),
    listPresent(tx, people),
    findPendingDeletions(tx, people),
    findIdentifiers(tx, names),
    findHeld(tx, addresses),
  ])
  return {
    workspace_id,
    parts,
    pendingDeletions,
    present: new Map(present.map((each) => [each.profile_id, each])),
    owners,
    held: new Set([...held].map((n) => addresses[n]!.key)),
  }
}

function byId(a: Person, b: Person): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

/** Returns the numbers of the workspace's groups, by their ids. */
async function groupsOf(tx: Tx, workspace_id: number): Promise<ReadonlyMap<string, number>> {
  const own = (await listAllGroups(tx)).filter((group) => group.workspace_id === workspace_id)
  return new Map(own.map(({ id, group_id }) => [id, group_id]))
}

function unknownIn(
  incoming: readonly IncomingPerson[],
  states: readonly StatesLine[],
  groups: ReadonlyMap<string, number>,
): string[] {
  const rows = [
    ...incoming.flatMap(({ lines }) =>
      lines.flatMap(({ line }) => [
        ...[memberships, confirmations].flatMap(({ table }) => line.rows.get(table) ?? []),
        ...line.states,
      ]),
    ),
    ...states.flatMap((line) => line.states),
  ]
  const unknown = rows.map(({ group_id }) => group_id).filter((id) => typeof id === 'string' && !groups.has(id))
  return [...new Set(unknown as string[])].sort()
}

function unknownFlows(incoming: readonly IncomingPerson[], flows: ReadonlyMap<string, number>): string[] {
  const rows = incoming.flatMap(({ lines }) =>
    lines.flatMap(({ line }) => [received, receivedSteps].flatMap(({ table }) => line.rows.get(table) ?? [])),
  )
  const names = rows.map(({ flow_id }) => String(flow_id))
  return [...new Set(names.filter((name) => !flows.has(name)))].sort()
}

function describeRestore(
  incoming: readonly IncomingPerson[],
  decisions: readonly RestoreDecision[],
  refused: RestoreReply['left_out'],
  tokens_left_out: number,
  states_left_out: number,
): Omit<RestoreReply, 'unknown_groups' | 'unknown_flows' | 'cohorts_left_out'> {
  const whole = incoming.map((each, i) => ({ decision: decisions[i]!, first: each.lines[0]! }))
  const people = whole.filter(({ decision, first }) => decision.outcome !== 'left out' && first.line.part === 1)
  const imported = people.filter(({ decision }) => decision.outcome === 'write' && decision.isNew).length
  const left = whole.flatMap(({ decision, first }) =>
    decision.outcome === 'left out' ? [{ index: first.index, reason: decision.reason }] : [],
  )
  return {
    imported,
    known: people.length - imported,
    left_out: [...refused, ...left].sort((a, b) => a.index - b.index),
    tokens_left_out,
    states_left_out,
  }
}
