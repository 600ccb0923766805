import { findActiveAccount } from '../../accounts/accounts/account-store.ts'
import { isAddress, mailboxOf } from '../../accounts/accounts/address.ts'
import type { Call } from '../../base/call.ts'
import { type Failure, invalid } from '../../base/errors.ts'
import { rateWindows } from '../../base/http/limits.ts'
import { exceeded } from '../../base/http/rate-headers.ts'
import { deleteOldWindows, takeFromWindow } from '../../base/http/rate-store.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import type { Workspace, Workspaces } from '../../workspace/settings/workspaces.ts'
import { reasonOfChannel } from '../channels/reason-of-channel.ts'
import { readMailbox } from '../mail/mailbox.ts'
import { findSigningKey } from '../mail/prepare-emails.ts'
import { type PreviewedMail, type PreviewMailServices, previewMail } from './preview-mail.ts'
import { previewMessage } from './preview-message.ts'
import { type GivenMessage, type GivenPreview, readPreview } from './read-preview.ts'
import { testsPerHourMax } from './schema.ts'
import type { TakenTest, TestMail, TestMailer, TestMessage } from './test-mailer.ts'
import { findTestRecipient, type TestRecipient } from './test-recipient.ts'

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
  const given = readPreview(body, ['mail', 'message'], ['to'])
  if (given.message) return sendMessageTest(call, workspace_id, given, (body as { to?: unknown }).to, services)
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
  const entry = testEntry(call, { email_template_id: given.mail!.email_template_id ?? null }, workspace_id)
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

function mailOf(previewed: PreviewedMail) {
  if (previewed.mail) return previewed.mail
  throw refusalOf(previewed)
}

/** Says why a preview has no message to send. */
function refusalOf({ mistakes: [mistake], reason }: Pick<PreviewedMail, 'mistakes' | 'reason'>): Failure {
  if (reason !== undefined) return invalid(`Nothing was sent: the message is not sent to this person: ${reason}`)
  const { text, message, line, column } = mistake!
  const place = line === null ? '' : ` (${text}, line ${line}, column ${column})`
  return invalid(`Nothing was sent: ${message}${place}`, [mistake])
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

function testEntry({ actor }: Call, after: object, workspace_id: number) {
  const target = { kind: 'account', id: actor.id, name: actor.name }
  return { action: 'message.test', target, after, workspace_id }
}

/**
 * Sends a rendered message of another channel to who the request names, by the transport of its channel or to the inbox. Only accounts send
 * tests: they are counted.
 */
async function sendMessageTest(
  call: Call,
  workspace_id: number,
  given: GivenPreview,
  givenTo: unknown,
  services: SendPreviewServices,
) {
  const message = given.message!
  const { channel } = message
  const { many, one } = channel.words
  if (call.actor.kind !== 'account') throw invalid(`A test of a ${one} is sent by an account: sign in`)
  const workspace = services.workspaces.get(workspace_id)
  const recipient = await findTestRecipient(call.db, workspace, message, givenTo, services)
  const mail_id = services.newId(0)
  const { testMailer } = services
  const isKept = testMailer.keepsMessages(channel, workspace)
  const { prepared, to } = await prepareTest(workspace, given, recipient, { id: mail_id, isSent: !isKept }, services)
  await countTest(call, services)
  const test: TestMessage = { mail_id, to, channel, prepared }
  const entry = testEntry(call, { channel: channel.name, to: recipient.audited ?? to }, workspace_id)
  const said = { to, subject: prepared.subject }
  const words = recipient.words ?? to
  if (isKept) {
    await call.db.transaction(async (tx) => {
      await testMailer.keepMessage(tx, workspace, test)
      await recordAudit(tx, call, entry)
    })
    const sentence = `The test to ${words} is in the inbox: ${many} of this workspace go to nobody.`
    return { ...said, mail_id, sentence }
  }
  await recordAudit(call.db, call, entry)
  const taken = await testMailer.sendMessage(test)
  const missed = taken.warnings.length === 0 ? '' : ` Not everything arrived: ${taken.warnings.join('; ')}.`
  return { ...said, mail_id: null, sentence: `The test was sent to ${words}${takenBy(message, taken)}.${missed}` }
}

/** Says what took a test: the one server of a channel by its name. */
function takenBy({ channel: { name, words }, trial }: GivenMessage, { server }: TakenTest): string {
  if (trial.recipient.kind === 'address') return `. The ${words.server} ${server} has it`
  return `: ${reasonOfChannel('sent', name)}`
}

/** Makes a test, and says where it goes. Throws 400 with what is wrong with it. */
async function prepareTest(
  workspace: Workspace,
  given: GivenPreview,
  { address, person }: TestRecipient,
  test: { readonly id: string; readonly isSent: boolean },
  services: SendPreviewServices,
) {
  const message = given.message!
  const target = { address, ...(person && { person }), test: { ...test, mark: testMark } }
  const previewed = await services.open.run(workspace.workspace_id, () =>
    previewMessage(services, workspace, given, message, target),
  )
  if (!previewed.prepared) throw refusalOf(previewed)
  const complete = test.isSent ? message.trial.complete : undefined
  const prepared = (await complete?.(services.db, previewed.prepared)) ?? previewed.prepared
  if ('mistake' in prepared) {
    const { text, mistake } = prepared
    throw refusalOf({ mistakes: [{ text, content_block: null, message: mistake, line: null, column: null }] })
  }
  return { prepared, to: prepared.address ?? address }
}
