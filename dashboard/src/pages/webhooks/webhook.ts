import type {
  GetAdminWebhookDeliveriesReply,
  GetAdminWebhooksIdAttemptsReply,
  GetAdminWebhooksReply,
} from '../../api/generated.ts'

export type Webhook = GetAdminWebhooksReply['webhooks'][number]
export type Delivery = GetAdminWebhookDeliveriesReply['deliveries'][number]
export type Attempt = GetAdminWebhooksIdAttemptsReply['attempts'][number]
export type EventType = NonNullable<Webhook['event_types']>[number]

/** What each type of event is called, in the order in which they are listed. */
export const eventWords: Readonly<Record<string, string>> = {
  'message.sent': 'A message was sent',
  'message.suppressed': 'A message was held back',
  'message.missed': 'A message was missed',
  'message.cancelled': 'A message was cancelled',
  'message.aborted': 'A message was aborted by its text',
  'message.failed': 'A message failed',
  'message.uncertain': 'It is not known whether a message was sent',
  'message.delivered': 'A message arrived',
  'message.bounced': 'A message was returned',
  'message.complained': 'A message was reported as spam',
  'message.opened': 'A message was opened',
  'message.clicked': 'A link was clicked',
  'message.unsubscribed': 'Somebody unsubscribed by a message',
  'subscription.changed': 'A subscription changed',
  'person.created': 'A person was created',
  'person.merged': 'Two people were merged',
  'person.deleted': 'A person was deleted',
}

/** Returns what a webhook gets, in few words. */
export function wordsOfTypes(types: readonly string[]): string {
  if (types.length === 0) return 'everything'
  return types.length === 1 ? (eventWords[types[0]!] ?? types[0]!) : `${types.length} kinds of events`
}
