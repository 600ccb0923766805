import type { Call } from '../../base/call.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { waitForOlderTransactions } from '../../base/db/wait-for-older-transactions.ts'
import { invalid } from '../../base/errors.ts'
import { nextProfileId } from '../../base/ids.ts'
import type { HashAddress, Person } from '../identity/person.ts'
import type { SubscribeState } from '../profile/standard.ts'
import { Watched } from '../signals/signals.ts'
import { type EmailState, upsertEmailStates } from '../subscription/address-state-store.ts'
import { applyAndRecordStates, type RecordingServices } from './apply-states.ts'
import { listEmails, normaliseEmails } from './email-request.ts'
import { type AddressOwner, listAddressOwners } from './owner-store.ts'
import { badState } from './schema.ts'
import { hashedAddress } from './suppress.ts'
import { waitForHandOvers } from './wait-for-hand-over.ts'

export type EmailStatusServices = { hashAddress: HashAddress }

/** The most people written in one transaction, so that an address with many owners does not hold locks for long. */
const pagePeopleMax = 200

/** With a chain of merges among the owners of one address, so many rounds may be needed. */
const roundsMax = 20

const done = { message: 'success' } as const

/** Sets the e-mail state of addresses: `POST /email/status` (contract 10.2). */
export async function setEmailStatus(
  call: Call,
  body: unknown,
  { hashAddress }: EmailStatusServices,
): Promise<typeof done> {
  const { emails, state } = readBody(body)
  await setEmailStates(call, emails, state, hashAddress)
  if (state !== 'opted_in') await waitForHandOvers(call.db, call.workspace_id, emails)
  return done
}

/** The services that setting a state needs. A `Call` has them. */
export type EmailStateServices = Pick<Call, 'db' | 'clock' | 'workspace_id'>

/**
 * Sets the state of addresses (normalised, each once). People who have one of them now get the state, and people who get one later inherit
 * it. The states of the addresses are committed first. If a later step fails, some people may not have the state.
 */
export async function setEmailStates(
  { db, clock, workspace_id }: EmailStateServices,
  emails: readonly string[],
  state: SubscribeState,
  hashAddress: HashAddress,
): Promise<void> {
  const stampUs = clock.stamp()
  const states = emails.map((email): EmailState => {
    const { bucket, value: hidden } = hashedAddress(workspace_id, email, hashAddress)
    return { bucket, workspace_id, email, hidden, state, stampUs }
  })
  states.sort((a, b) => a.bucket - b.bucket || (a.hidden < b.hidden ? -1 : 1))
  const newId = (bucket: number) => nextProfileId(bucket, clock.elapsed())
  const services = { db, newId, watched: new Watched() }
  const stored = await store(db, states)
  // A later stamp is from a newer request, or from a process whose clock is ahead. This request is later, so its stamp is raised.
  const { overtaken } = await applyToOwners(services, stored)
  const raised = new Map((await store(db, overtaken)).map((each) => [each.hidden, each]))
  // A transaction that has not seen the stored states may give a person one of the addresses. Wait until all of these have ended.
  await waitForOlderTransactions(db, ['people'])
  const current = stored.map((each) => raised.get(each.hidden) ?? each)
  // A person may be merged just before the update. Then the kept profile has the address: repeat until every owner has the state.
  for (let round = 1; (await applyToOwners(services, current)).changed > 0 && round < roundsMax; round++);
}

async function store(db: Db, states: readonly EmailState[]): Promise<EmailState[]> {
  return states.length === 0
    ? []
    : db.transaction((tx) => upsertEmailStates(tx, states), { settings: shortLockTimeout })
}

type ApplyServices = RecordingServices & { readonly db: Db }

/**
 * Gives the owners of the addresses their state, unless their own state has a later stamp. `changed` counts the people who did not have the
 * state. `overtaken` has the states of the addresses of which an owner has a later state, each with a stamp after that one.
 */
async function applyToOwners(
  services: ApplyServices,
  states: readonly EmailState[],
): Promise<{ overtaken: EmailState[]; changed: number }> {
  const overtaken = new Map<string, EmailState>()
  let changed = 0
  let left = states
  let last: Person | undefined
  for (;;) {
    const owners = await services.db.transaction((tx) => applyToPage(tx, services, left, last), {
      settings: shortLockTimeout,
    })
    for (const { n, stateUs = 0 } of owners) {
      const each = overtaken.get(left[n - 1]!.hidden) ?? left[n - 1]!
      if (stateUs < left[n - 1]!.stampUs) changed++
      if (stateUs >= each.stampUs) overtaken.set(each.hidden, { ...each, stampUs: stateUs + 1 })
    }
    if (owners.length < pagePeopleMax) return { overtaken: [...overtaken.values()], changed }
    const { n, person } = owners.at(-1)!
    left = left.slice(n - 1)
    last = person
  }
}

async function applyToPage(
  tx: Tx,
  services: ApplyServices,
  states: readonly EmailState[],
  after: Person | undefined,
): Promise<AddressOwner[]> {
  const owners = await listAddressOwners(tx, states, after, pagePeopleMax)
  const earlier = owners.flatMap(({ n, person, stateUs }) => {
    const { email, state, stampUs } = states[n - 1]!
    return stateUs === undefined || stateUs < stampUs ? [{ person, email, state, stampUs }] : []
  })
  await applyAndRecordStates(tx, earlier, services)
  return owners
}

type StatusRequest = { emails: readonly string[]; state: SubscribeState }

function readBody(body: unknown): StatusRequest {
  const given = listEmails(body)
  const { subscription_state: state } = body as { readonly subscription_state?: unknown }
  if (state !== 'subscribed' && state !== 'unsubscribed' && state !== 'opted_in') throw invalid(badState)
  return { emails: normaliseEmails(given), state }
}
