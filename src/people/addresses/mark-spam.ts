import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { bucketsOf, type Person } from '../identity/person.ts'
import { PersonRemoved, retryWhenRemoved } from '../identity/retry-removed.ts'
import { updateSpamMarks } from '../profile/email-state-store.ts'
import type { EmailState } from '../subscription/address-state-store.ts'
import { type AddressOwner, listAddressOwners } from './owner-store.ts'

/** The most people written in one transaction. */
const pagePeopleMax = 200

/** Sets the time at which the people who have the address marked mail as spam; null removes it. */
export async function markSpam(db: Db, workspace_id: number, address: string, stampUs: number | null): Promise<void> {
  const { bucket } = bucketsOf(workspace_id, 'email', address)
  const addresses = [{ bucket, workspace_id, email: address, hidden: '', state: 'unsubscribed' as const, stampUs: 0 }]
  let last: Person | undefined
  for (;;) {
    const owners = await retryWhenRemoved(() =>
      db.transaction((tx) => markPage(tx, addresses, last, stampUs), { settings: shortLockTimeout }),
    )
    if (owners.length < pagePeopleMax) return
    last = owners.at(-1)!.person
  }
}

async function markPage(
  tx: Tx,
  addresses: readonly EmailState[],
  after: Person | undefined,
  stampUs: number | null,
): Promise<AddressOwner[]> {
  const owners = await listAddressOwners(tx, addresses, after, pagePeopleMax)
  const people = owners.map(({ person }) => person)
  if ((await updateSpamMarks(tx, people, stampUs)) < people.length) {
    throw new PersonRemoved('a profile was merged away or deleted')
  }
  return owners
}
