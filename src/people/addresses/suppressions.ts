import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { type NewAuditEntry, recordAudit } from '../../workspace/audit/record.ts'
import { identifierOrThrow, readEmail } from '../identity/identifier.ts'
import type { HashAddress } from '../identity/person.ts'
import { isCleanText, isObject } from '../values/values.ts'
import { readEmails } from './email-request.ts'
import { hashedAddress, suppress, toldCharactersMax, unsuppress } from './suppress.ts'
import { type SuppressionsReply, suppressionPageDefault, suppressionPageMax } from './suppression-schema.ts'
import {
  listSuppressions,
  type SuppressionCursor,
  type SuppressionEntry,
  type SuppressionReason,
  suppressionReasons,
} from './suppression-store.ts'

export type SuppressionServices = { readonly hashAddress: HashAddress }

const done = { message: 'success' } as const

/** Reads a page of suppressions, newest first; optionally of one address or one reason. */
export async function readSuppressions(
  { db }: Call,
  query: Query,
  workspace_id: number,
  { hashAddress }: SuppressionServices,
): Promise<SuppressionsReply> {
  const limit = readLimit(query, suppressionPageDefault, suppressionPageMax)
  const address = readNonEmpty(query, 'address')
  const filter = {
    workspace_id,
    address:
      address === undefined
        ? undefined
        : hashedAddress(workspace_id, identifierOrThrow(readEmail(address)).value, hashAddress),
    reason: readReason(readNonEmpty(query, 'reason')),
  }
  const rows = await listSuppressions(db, filter, readCursor(query), limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    suppressions: page.map(({ address, reason, told, at }) => ({ address, reason, told, at: at.toISOString() })),
    ...(last && rows.length > limit && { cursor: cursorAfter(last) }),
  }
}

/** Suppresses addresses on request of the operator. Their people stay subscribed. */
export async function addSuppressions(
  call: Call,
  body: unknown,
  workspace_id: number,
  { hashAddress }: SuppressionServices,
): Promise<typeof done> {
  const emails = readEmails(body)
  const { reason: given, told = null } = body as { readonly reason?: unknown; readonly told?: unknown }
  const reason = readReason(given) ?? 'blocklist'
  if (told !== null && (typeof told !== 'string' || told.length > toldCharactersMax || !isCleanText(told))) {
    throw invalid(`'told' must be a text of at most ${toldCharactersMax} characters`)
  }
  const stampUs = call.clock.stamp()
  const entries = emails.map((address) => ({ workspace_id, address, reason, told, stampUs }))
  await call.db.transaction(async (tx) => {
    await suppress(tx, entries, hashAddress)
    const write = { action: 'suppression.add', after: { reason, told }, workspace_id }
    await recordAudit(tx, call, ...auditEntries(write, emails, hashAddress))
  })
  return done
}

/** Removes suppressions of addresses, for one reason or all. */
export async function removeSuppressions(
  call: Call,
  body: unknown,
  workspace_id: number,
  { hashAddress }: SuppressionServices,
): Promise<typeof done> {
  const emails = readEmails(body)
  const reason = readReason(isObject(body) ? body.reason : undefined)
  const reasons = reason ? [reason] : suppressionReasons
  await call.db.transaction(async (tx) => {
    await unsuppress(tx, workspace_id, emails, reasons, hashAddress)
    const write = { action: 'suppression.remove', before: { reasons }, workspace_id }
    await recordAudit(tx, call, ...auditEntries(write, emails, hashAddress))
  })
  return done
}

// Audit rows are kept after the deletion of a person, so they have the hash of an address instead.
// `told` is removed from them by the deletion.
function auditEntries(
  write: Omit<NewAuditEntry, 'target'> & { readonly workspace_id: number },
  emails: readonly string[],
  hashAddress: HashAddress,
): NewAuditEntry[] {
  return emails.map((address) => {
    const { value: id } = hashedAddress(write.workspace_id, address, hashAddress)
    return { ...write, target: { kind: 'address', id } }
  })
}

function readReason(given: unknown): SuppressionReason | undefined {
  if (given === undefined || given === null) return undefined
  const known = suppressionReasons.find((reason) => reason === given)
  if (!known) throw invalid(`'reason' must be one of ${suppressionReasons.join(', ')}`)
  return known
}

function cursorAfter({ at_us, value, reason }: SuppressionEntry): string {
  return Buffer.from(`${at_us}.${value}.${reason}`).toString('base64url')
}

const cursorForm = /^(\d{1,18})\.([0-9a-f]{64})\.([a-z_]{1,20})$/

function readCursor(query: Query): SuppressionCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, atUs, value, reason] = cursorForm.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!atUs || !value || !reason || !Number.isSafeInteger(Number(atUs))) throw invalid("'cursor' is not valid")
  return { atUs, value, reason }
}
