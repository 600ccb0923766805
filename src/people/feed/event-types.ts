/** The types of events of the feed, each with its sentence. */
export const eventTypes = {
  'message.sent': 'the server of the channel took a message',
  'message.suppressed': 'a message was not sent, because of the person, the address or a rule of the workspace',
  'message.missed': 'a message was not sent, because the service was down when it was due',
  'message.cancelled': 'a message was not sent, because it was cancelled',
  'message.aborted': 'a message was not sent, because its template aborted it',
  'message.failed': 'a message could not be made, or the server of the channel refused it',
  'message.uncertain': 'it will never be known whether a message was sent',
  'message.delivered': 'the provider says that a message arrived',
  'message.bounced': 'a message was returned or refused',
  'message.complained': 'the recipient reported a message as spam',
  'message.opened': 'a message was opened for the first time',
  'message.clicked': 'a link of a message was clicked for the first time',
  'message.unsubscribed': 'the recipient unsubscribed by a message',
  'subscription.changed': 'the subscription of a person to a channel or a group changed',
  'person.created': 'a person was created',
  'person.merged': 'another person was merged into this one',
  'person.deleted': 'a person was deleted',
} as const

export type EventType = keyof typeof eventTypes

export const eventTypeNames = Object.keys(eventTypes) as EventType[]

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventTypes, text)
}
