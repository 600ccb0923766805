import type { Db, Tx } from '../base/db/db.ts'
import { givingWay } from '../base/db/give-way.ts'
import { Departed, untilNobodyDeparts } from '../profiles/departed.ts'
import { type HashAddress, type Person, placeOf } from '../profiles/ref.ts'
import { type MessagePlace, markComplained, updateSpamMarks } from './bounce-store.ts'
import { type Saying, sayState } from './status.ts'
import { listOwners, type Owner, type Said } from './store.ts'
import { hiddenPlace, suppress } from './suppress.ts'
import { findSuppressed } from './suppression-store.ts'

/** That somebody called a mail spam. */
export type Complaint = {
  /** Normalised. */
  readonly address: string
  readonly told: string
  /** The message it is about, where that is known, and whether a complaint about it was noted before. */
  readonly message?: MessagePlace & { readonly complained: boolean }
  /** Nobody here has the address: only its hash is kept. */
  readonly hidden?: boolean
}

/** People written in one transaction. */
const pagePeopleMax = 200

/**
 * Notes a complaint: whoever has the address is unsubscribed and marked, the address suppressed. That it was noted is written last, so
 * that one which a kill has cut off is noted whole when it is told again; told twice it changes nothing more.
 */
export async function noteComplaint(saying: Saying, complaint: Complaint, hashAddress: HashAddress): Promise<void> {
  const { db, clock, workspace_id } = saying
  const { address, told, message, hidden = false } = complaint
  const place = hiddenPlace(workspace_id, address, hashAddress)
  const known = message ? message.complained : (await findSuppressed(db, [place], 'spam')).has(place.value)
  if (known) return
  await sayState(saying, [address], 'unsubscribed', hashAddress)
  const stampUs = clock.stamp()
  await markSpam(db, workspace_id, address, stampUs)
  await db.transaction(async (tx) => {
    if (message && !(await markComplained(tx, message, stampUs))) return
    await suppress(tx, [{ workspace_id, address, reason: 'spam', told, stampUs, hidden }], hashAddress)
  })
}

/** Says of everybody who has the address when they called a mail spam; null: they did not. */
export async function markSpam(db: Db, workspace_id: number, address: string, stampUs: number | null): Promise<void> {
  const { bucket } = placeOf(workspace_id, 'email', address)
  const asked = [{ bucket, workspace_id, email: address, hidden: '', state: 'unsubscribed' as const, stampUs: 0 }]
  let last: Person | undefined
  for (;;) {
    const owners = await untilNobodyDeparts(() =>
      db.transaction((tx) => markPage(tx, asked, last, stampUs), { settings: givingWay }),
    )
    if (owners.length < pagePeopleMax) return
    last = owners.at(-1)!.person
  }
}

async function markPage(
  tx: Tx,
  asked: readonly Said[],
  after: Person | undefined,
  stampUs: number | null,
): Promise<Owner[]> {
  const owners = await listOwners(tx, asked, after, pagePeopleMax)
  const people = owners.map(({ person }) => person)
  if ((await updateSpamMarks(tx, people, stampUs)) < people.length) {
    throw new Departed('a profile was merged away or deleted')
  }
  return owners
}
