import type { Tx } from '../../../base/db/db.ts'
import { invalid } from '../../../base/errors.ts'
import { malformedMistake } from '../../../content/texts/malformed.ts'
import { isCleanText, isObject } from '../../../people/values/values.ts'
import { joinPath, type Mistake } from '../../../workspace/settings/mistake.ts'
import type { SubscriptionGroup } from '../../../workspace/settings/store.ts'
import { hasLiquid } from '../../mail/read-text.ts'
import type { ContentReader, ReadDefinition } from '../channel.ts'
import { shortened } from '../shortened.ts'
import { segmentsOf } from './segments.ts'
import { isSender, senderRule } from './sender.ts'

/** A text message, checked. `body` may have Liquid. */
export type TextMessage = {
  readonly body: string
  /** The public id of the subscription group whose members get it. */
  readonly subscription_group_id: string
  /** The sender; absent: that of the group or of the workspace. */
  readonly from?: string
  readonly app_id?: string
  readonly message_variation_id?: string
  /** What the recipient is asked to confirm. No request can set it. */
  readonly confirmation?: TextedConfirmation
}

/** The confirmation that a text asks for. */
export type TextedConfirmation = {
  /** What the recipient is to reply, as it is written in the text. */
  readonly keyword: string
  readonly group: string
  readonly valid_hours: number
}

/** The most segments of one text. */
export const segmentsMax = 10
/** The most characters of a rendered text: so many fit into ten segments of GSM-7, and providers take no more. */
export const textCharactersMax = 1_530
/** The most characters of a text with Liquid. */
const liquidCharactersMax = 10_000
const idCharactersMax = 255

/** The members of a text message. */
export const textMembers = ['body', 'subscription_group_id', 'from', 'app_id', 'message_variation_id'] as const

/** What a text may name. */
type TextContext = {
  hasApp(id: string): boolean
  findGroup(id: string): Pick<SubscriptionGroup, 'channel' | 'archived'> | undefined
}

const groupRequired = 'is required: a text goes only to people who are subscribed to the group'

/** Returns everything that is wrong with a text, each of another member. Pure. */
export function textMistakes(given: unknown, path: string, context: TextContext): Mistake[] {
  if (!isObject(given)) return [{ path, message: 'must be an object with body and subscription_group_id' }]
  const unknown = Object.keys(given).filter((name) => !(textMembers as readonly string[]).includes(name))
  const at = (name: string) => joinPath(path, name)
  const about = (name: string, message: string | undefined) =>
    message === undefined ? [] : [{ path: at(name), message }]
  return [
    ...unknown.map((name) => ({ path: at(name), message: `is not known here; known are ${textMembers.join(', ')}` })),
    ...bodyMistake(given.body, at('body')),
    ...about('subscription_group_id', groupMistake(given.subscription_group_id, context)),
    ...about('from', isAbsent(given.from) || (isText(given.from) && isSender(given.from)) ? undefined : senderRule),
    ...about('app_id', appMistake(given.app_id, context)),
    ...about(
      'message_variation_id',
      isAbsent(given.message_variation_id) || isId(given.message_variation_id) ? undefined : 'must be an id',
    ),
  ]
}

/** Returns what is wrong with the body of a text. Pure. */
export function bodyMistake(body: unknown, path: string): Mistake[] {
  if (isAbsent(body)) return [{ path, message: 'is required' }]
  if (!isText(body) || body.trim() === '') return [{ path, message: 'must be a text that is not empty' }]
  if (hasLiquid(body)) {
    if (body.length > liquidCharactersMax)
      return [{ path, message: `must be at most ${liquidCharactersMax} characters with Liquid` }]
    const malformed = malformedMistake(path, body)
    return malformed ? [malformed] : []
  }
  const message = lengthMistake(body)
  return message === undefined ? [] : [{ path, message }]
}

/** Returns why a text is too long to be sent; undefined if it is not. Pure. */
export function lengthMistake(body: string): string | undefined {
  const { segments, encoding } = segmentsOf(body)
  return segments <= segmentsMax ? undefined : `takes ${segments} segments of ${encoding}, of at most ${segmentsMax}`
}

function groupMistake(given: unknown, { findGroup }: TextContext): string | undefined {
  if (isAbsent(given)) return groupRequired
  const group = isText(given) ? findGroup(given) : undefined
  if (group?.channel !== 'sms') return 'must be the id of a subscription group for text messages'
  return group.archived ? 'must be a group that is not archived' : undefined
}

function appMistake(given: unknown, { hasApp }: TextContext): string | undefined {
  return isAbsent(given) || (isText(given) && hasApp(given)) ? undefined : 'must be the id of an app of this workspace'
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && isCleanText(value)
}

function isId(value: unknown): boolean {
  return isText(value) && value.length <= idCharactersMax
}

/** Returns a text that has no mistakes. */
function textOf(given: unknown): TextMessage {
  const own = given as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    textMembers.flatMap((name) => (isAbsent(own[name]) ? [] : [[name, own[name]]])),
  ) as TextMessage
}

function readDefinition(given: unknown, path: string, context: TextContext): ReadDefinition<TextMessage> {
  const [mistake] = textMistakes(given, path, context)
  return mistake ? { mistake } : { content: textOf(given) }
}

const everything: TextContext = { hasApp: () => true, findGroup: () => ({ channel: 'sms', archived: false }) }

export const textContent: ContentReader<TextMessage> = {
  read(given, path, { apps, groups }) {
    const [mistake] = textMistakes(given, path, { hasApp: (id) => apps.has(id), findGroup: (id) => groups.get(id) })
    if (mistake) throw invalid(`${mistake.path} ${mistake.message}`)
    return { content: textOf(given), warnings: [], lost: [] }
  },
  // What it names is in memory with the settings of the workspace, and was checked there.
  check: async (_tx: Tx) => {},
  forDefinition({ others }) {
    const groups = new Map(
      (others('subscription_groups') as unknown as SubscriptionGroup[]).map((one) => [one.id, one]),
    )
    const apps = new Set(others('apps').map(({ id }) => id))
    const context: TextContext = { hasApp: (id) => apps.has(id), findGroup: (id) => groups.get(id) }
    return {
      read: (given, path) => readDefinition(given, path, context),
      mistakes: (given, path) => textMistakes(given, path, context),
    }
  },
  readStored: (given, path) => readDefinition(given, path, everything),
  standIn: { body: '', subscription_group_id: '' },
  remaining: { kept: ['subscription_group_id', 'from', 'app_id', 'message_variation_id'], emptied: ['body'] },
  variationOf: ({ message_variation_id }) => message_variation_id,
  titleOf: ({ body }) => shortened(body),
  describe: ({ body }, cut) => `Sends the text ${JSON.stringify(cut(body))}.`,
  details: ({ body, from, subscription_group_id }) => ({
    body,
    ...(from !== undefined && { from }),
    subscription_group_id,
  }),
}
