import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Person } from '../../people/identity/person.ts'
import { isCleanText } from '../../people/values/values.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import type { Channel, ConsentRefusal } from '../channels/channel.ts'
import { reasonOfChannel } from '../channels/reason-of-channel.ts'
import { listConsentFacts } from '../why/dry-run-store.ts'
import { findNamedPerson, type PersonServices, type PreviewPerson } from './preview-person.ts'
import type { GivenMessage } from './read-preview.ts'
import { personCharactersMax } from './schema.ts'

/** Who gets a test. `address` is empty when the message says where it goes. */
export type TestRecipient = {
  readonly address: string
  /** In a sentence; absent for the server of a message. */
  readonly words?: string
  /** In the audit log; absent for the server of a message. */
  readonly audited?: string
  readonly person?: Person
}

/** Digits of a number in the audit log: enough to recognise one's own. */
const auditedDigits = 4

/** Finds who gets a test of a message. Throws 400 and 404. */
export async function findTestRecipient(
  tx: Tx,
  workspace: Workspace,
  { channel, trial: { recipient } }: GivenMessage,
  to: unknown,
  services: PersonServices,
): Promise<TestRecipient> {
  if (recipient.kind === 'server') {
    if (to === undefined) return { address: '' }
    throw invalid(`'to' is not a member of a test of a ${channel.words.one}: it goes to the server that it names`)
  }
  if (recipient.kind === 'address') {
    const address = recipient.read(to, 'to')
    return { address, words: address, audited: `*${address.slice(-auditedDigits)}` }
  }
  if (typeof to !== 'string' || to.trim() === '' || to.length > personCharactersMax || !isCleanText(to))
    throw invalid("'to' must be the id or an identifier of the person whose devices get the test")
  const { profile, id, name } = await findNamedPerson(tx, workspace, to, [], services)
  const { address, refusal } = await consentOf(tx, channel, profile)
  if (refusal) throw invalid(`Nothing was sent: ${refusalSentence(channel, name, refusal)}`)
  return { address: address ?? '', words: name, audited: id, person: profile }
}

/** Says why the person for which a message is shown would not get it. */
export async function recipientWarnings(
  tx: Tx,
  { channel, trial }: GivenMessage,
  { profile, words }: PreviewPerson,
): Promise<string[]> {
  if (trial.recipient.kind !== 'person' || !profile) return []
  const { refusal } = await consentOf(tx, channel, profile)
  return refusal ? [refusalSentence(channel, words, refusal)] : []
}

async function consentOf(tx: Tx, channel: Channel, profile: Person) {
  const [row] = await listConsentFacts(tx, channel, [profile])
  if (!row) return { address: null, refusal: undefined }
  const { consent, content } = channel
  return { address: consent.addressOf(row), refusal: consent.check(row, content.standIn, 'subscribed') }
}

function refusalSentence({ name, words: { one } }: Channel, person: string, { reason, rule }: ConsentRefusal): string {
  return `${person} gets no ${one}: ${reason === 'no_address' ? rule : reasonOfChannel(reason, name)}.`
}
