import { findActiveAccount } from '../../accounts/accounts/account-store.ts'
import { isAddress, mailboxOf } from '../../accounts/accounts/address.ts'
import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { rateWindows } from '../../base/http/limits.ts'
import { exceeded } from '../../base/http/rate-headers.ts'
import { deleteOldWindows, takeFromWindow } from '../../base/http/rate-store.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { readMailbox } from '../mail/mailbox.ts'
import { findSigningKey } from '../mail/prepare-emails.ts'
import { type PreviewedMail, type PreviewMailServices, previewMail } from './preview-mail.ts'
import { readPreview } from './read-preview.ts'
import { testsPerHourMax } from './schema.ts'
import type { TestMail, TestMailer } from './test-mailer.ts'

export type SendPreviewServices = PreviewMailServices & {
  readonly testMailer: TestMailer
  readonly workspaces: Pick<Workspaces, 'get' | 'default'>
  newId(bucket: number): string
}

/** Stands before the subject, so that a test cannot be taken for the mail itself. */
export const testMark = '[Test] '
const lengthMs = rateWindows.per_hour

/**
 * Sends a rendered mail to the address of the account that asks, through the mail server or to the inbox. It has no tracking, and is in no
 * history of a person. Throws 400 for a caller without an address and for texts with mistakes, 404, 429 and 503.
 */
export async function sendPreview(call: Call, workspace_id: number, body: unknown, services: SendPreviewServices) {
  const given = readPreview(body, ['mail'])
  const to = await ownAddress(call)
  const workspace = services.workspaces.get(workspace_id)
  const mail_id = services.newId(0)
  const findKey = (domain: string) => findSigningKey(services.db, workspace_id, domain)
  const previewed = await services.open.run(workspace_id, () =>
    previewMail(services, workspace, given, given.mail!, { to, mail_id, mark: testMark, findKey }),
  )
  const mail = mailOf(previewed)
  await countTest(call, services)
  const test: TestMail = { mail_id, to, subject: mail.subject, mail }
  const entry = auditEntry(call, given.mail!.email_template_id, workspace_id)
  const said = { to, subject: mail.subject }
  if (services.testMailer.staysHere(workspace)) {
    await call.db.transaction(async (tx) => {
      await services.testMailer.keep(tx, workspace, test)
      await recordAudit(tx, call, entry)
    })
    return { ...said, mail_id, sentence: `The test to ${to} is in the inbox: mail of this workspace goes to nobody.` }
  }
  // Before it is sent: a process that ends meanwhile must not leave a mail without its row.
  await recordAudit(call.db, call, entry)
  const server = await services.testMailer.send(test)
  return { ...said, mail_id: null, sentence: `The test was sent to ${to}. The mail server ${server} has it.` }
}

async function ownAddress({ db, actor }: Call): Promise<string> {
  if (actor.kind !== 'account')
    throw invalid('A test goes to the address of the account that asks, and the admin token has none: sign in')
  const account = await findActiveAccount(db, actor.name)
  const address = account && readMailbox(mailboxOf(account))?.address
  if (address === undefined || !isAddress(address)) throw invalid('Your account has no e-mail address')
  return address
}

function mailOf({ mail, mistakes: [mistake], reason }: PreviewedMail) {
  if (mail) return mail
  if (reason !== undefined) throw invalid(`Nothing was sent: the message is not sent to this person: ${reason}`)
  const { text, message, line, column } = mistake!
  const place = line === null ? '' : ` (${text}, line ${line}, column ${column})`
  throw invalid(`Nothing was sent: ${message}${place}`, [mistake])
}

/** Counts a test of an account, for all workspaces and processes together. Throws 429. */
async function countTest({ db, clock, actor }: Call, { workspaces }: SendPreviewServices): Promise<void> {
  const nowMs = clock.elapsed()
  const startMs = Math.floor(nowMs / lengthMs) * lengthMs
  const { workspace_id } = workspaces.default()
  const key = { workspace_id, name: `messages_test/${actor.id}/per_hour`, startMs, lengthMs }
  const used = await takeFromWindow(db, key, 1, testsPerHourMax)
  if (used === undefined) throw exceeded({ size: testsPerHourMax, remaining: 0, endMs: startMs + lengthMs }, nowMs)
  if (used === 0) await deleteOldWindows(db, key)
}

function auditEntry({ actor }: Call, email_template_id: string | undefined, workspace_id: number) {
  const target = { kind: 'account', id: actor.id, name: actor.name }
  return { action: 'message.test', target, after: { email_template_id: email_template_id ?? null }, workspace_id }
}
