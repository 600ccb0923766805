import { flowShapes } from '../../api/flow-shapes.ts'
import { withValue } from '../../draft/path.ts'
import { type ChannelName, channelNamed } from '../flow-forms/channel-names.ts'
import { isMembers, listAt, type Members } from '../flow-forms/members.ts'
import { equalShares } from '../flow-forms/shares.ts'

export const messagesPath = ['messages']
export const messagesMax = flowShapes.campaign.messages.maxItems

/** Returns the messages of a campaign with one more, which begins as a copy of another one; shares that were equal stay equal. Pure. */
export function withCopy<Document>(document: Document, from: number, id: string): Document {
  const messages = listAt(document, messagesPath)
  const copied = messages[from]
  const next: Members = {
    ...(isMembers(copied) ? copied : {}),
    id,
    name: nameFor(messages),
    percent: 0,
  }
  return withValue(document, messagesPath, shared(messages, [...messages, next]))
}

/** Returns the messages without one of them; shares that were equal stay equal. Pure. */
export function withoutMessage<Document>(document: Document, at: number): Document {
  const messages = listAt(document, messagesPath)
  return withValue(document, messagesPath, shared(messages, messages.toSpliced(at, 1)))
}

/** Shares equally what was shared equally before. Other shares stay, for the author to mend. */
function shared(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const shares = equalShares(before.length)
  const percents = before.map((message) => (isMembers(message) ? (message.percent ?? undefined) : undefined))
  const wasEqual =
    percents.every((percent, i) => percent === shares[i]) || (before.length === 1 && percents[0] === undefined)
  if (!wasEqual) return after
  const next = equalShares(after.length)
  return after.map((message, i) => (isMembers(message) ? { ...message, percent: next[i] } : message))
}

/** Returns the first name of `Variant n` that no message has. */
function nameFor(messages: readonly unknown[]): string {
  const names = new Set(messages.map((message, i) => nameOfMessage(message, i)))
  let n = messages.length + 1
  while (names.has(`Variant ${n}`)) n++
  return `Variant ${n}`
}

/** Returns the name of a message, which the server gives when it has none. Pure. */
export function nameOfMessage(message: unknown, i: number): string {
  const name = isMembers(message) ? message.name : undefined
  return typeof name === 'string' && name !== '' ? name : `Variant ${i + 1}`
}

/** Returns how a message is sent. Pure. */
export function channelOf(message: unknown): ChannelName {
  if (!isMembers(message)) return 'email'
  return channelNamed(Object.keys(titles).find((name) => message[name] !== undefined && message[name] !== null))
}

/** The members of each channel that stand for a message in lists: the first of them that it has. */
const titles: Readonly<Record<ChannelName, readonly string[]>> = {
  email: ['subject'],
  sms: ['body'],
  web_push: ['title', 'alert'],
  apple_push: ['title', 'alert'],
  android_push: ['title', 'alert'],
  webhook: ['url'],
}

/** Returns the subject of an e-mail, the text of a text message, the title or the text of a push, or the URL of a webhook. Pure. */
export function titleOf(message: unknown): string {
  if (!isMembers(message)) return ''
  const channel = channelOf(message)
  const content = message[channel]
  if (!isMembers(content)) return ''
  const title = titles[channel].map((name) => content[name]).find((text) => text !== undefined && text !== null)
  return typeof title === 'string' ? title : ''
}

/** Returns the messages with one that is sent by another channel. It begins empty there. Pure. */
export function withChannel<Document>(document: Document, at: number, channel: ChannelName): Document {
  const messages = listAt(document, messagesPath)
  const given = messages[at]
  const others = Object.entries(isMembers(given) ? given : {}).filter(([name]) => !Object.hasOwn(titles, name))
  return withValue(document, messagesPath, messages.with(at, { ...Object.fromEntries(others), [channel]: {} }))
}
