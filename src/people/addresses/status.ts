import type { Call } from '../../base/call.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { waitForOlderTransactions } from '../../base/db/wait-for-older-transactions.ts'
import { invalid } from '../../base/errors.ts'
import type { HashAddress, Person } from '../identity/person.ts'
import type { SubscribeState } from '../profile/standard.ts'
import { listEmails, normalised } from './asked.ts'
import { badState } from './schema.ts'
import { listOwners, type Owner, type Said, updateStates, upsertSaid } from './store.ts'
import { hiddenPlace } from './suppress.ts'
import { outlastHandedOver } from './wait-for-hand-over.ts'

export type EmailStatusParts = { hashAddress: HashAddress }

/** People written in one transaction: a crowd on one address is told page by page, so that nobody waits long for a page. */
const pagePeopleMax = 200

/** People of one address who are merged one after the other can make it look again as often. */
const roundsMax = 20

const done = { message: 'success' } as const

/** Sets the e-mail state of addresses: `POST /email/status` (contract 10.2). */
export async function setEmailStatus(
  call: Call,
  body: unknown,
  { hashAddress }: EmailStatusParts,
): Promise<typeof done> {
  const { emails, state } = readBody(body)
  await sayState(call, emails, state, hashAddress)
  if (state !== 'opted_in') await outlastHandedOver(call.db, call.workspace_id, emails)
  return done
}

/** Where and when something is said of addresses; a `Call` is one. */
export type Saying = Pick<Call, 'db' | 'clock' | 'workspace_id'>

/**
 * Gives addresses (normalised, each once) a state: everybody who has one now, and remembered for those who get it later. The addresses
 * are written first; when that has happened and the caller gets no answer, people may or may not have followed.
 */
export async function sayState(
  { db, clock, workspace_id }: Saying,
  emails: readonly string[],
  state: SubscribeState,
  hashAddress: HashAddress,
): Promise<void> {
  const stampUs = clock.stamp()
  const asked = emails.map((email): Said => {
    const { bucket, value: hidden } = hiddenPlace(workspace_id, email, hashAddress)
    return { bucket, workspace_id, email, hidden, state, stampUs }
  })
  asked.sort((a, b) => a.bucket - b.bucket || (a.hidden < b.hidden ? -1 : 1))
  const said = await keep(db, asked)
  // Whoever's own state has a later stamp has said it meanwhile, or before to a process whose clock is ahead: this comes after it.
  const { overruled } = await tellOwners(db, said)
  const raised = new Map((await keep(db, overruled)).map((each) => [each.hidden, each]))
  // Somebody may have got an address from a transaction that had not seen what was kept: those have all ended then.
  await waitForOlderTransactions(db)
  const kept = said.map((each) => raised.get(each.hidden) ?? each)
  // Who was about to be told may go up in somebody else just then, who has the address now: done is when nobody is left.
  for (let round = 1; (await tellOwners(db, kept)).untold > 0 && round < roundsMax; round++);
}

async function keep(db: Db, said: readonly Said[]): Promise<Said[]> {
  return said.length === 0 ? [] : db.transaction((tx) => upsertSaid(tx, said), { settings: shortLockTimeout })
}

/**
 * Gives everybody who has one of the addresses its state, unless their own has a later stamp. Where there was somebody like that,
 * what was said comes back with a stamp after theirs. `untold`: how many did not have the state before.
 */
async function tellOwners(db: Db, said: readonly Said[]): Promise<{ overruled: Said[]; untold: number }> {
  const overruled = new Map<string, Said>()
  let untold = 0
  let left = said
  let last: Person | undefined
  for (;;) {
    const owners = await db.transaction((tx) => tellPage(tx, left, last), { settings: shortLockTimeout })
    for (const { n, saidUs = 0 } of owners) {
      const each = overruled.get(left[n - 1]!.hidden) ?? left[n - 1]!
      if (saidUs < left[n - 1]!.stampUs) untold++
      if (saidUs >= each.stampUs) overruled.set(each.hidden, { ...each, stampUs: saidUs + 1 })
    }
    if (owners.length < pagePeopleMax) return { overruled: [...overruled.values()], untold }
    const { n, person } = owners.at(-1)!
    left = left.slice(n - 1)
    last = person
  }
}

async function tellPage(tx: Tx, said: readonly Said[], after: Person | undefined): Promise<Owner[]> {
  const owners = await listOwners(tx, said, after, pagePeopleMax)
  const untold = owners.flatMap(({ n, person, saidUs }) => {
    const { email, state, stampUs } = said[n - 1]!
    return saidUs === undefined || saidUs < stampUs ? [{ person, email, state, stampUs }] : []
  })
  await updateStates(tx, untold)
  return owners
}

type Asked = { emails: readonly string[]; state: SubscribeState }

function readBody(body: unknown): Asked {
  const given = listEmails(body)
  const { subscription_state: state } = body as { readonly subscription_state?: unknown }
  if (state !== 'subscribed' && state !== 'unsubscribed' && state !== 'opted_in') throw invalid(badState)
  return { emails: normalised(given), state }
}
