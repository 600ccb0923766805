import type { Tx } from '../../../base/db/db.ts'
import { invalid } from '../../../base/errors.ts'
import { malformedMistake } from '../../../content/texts/malformed.ts'
import { broken, inspect, isCleanText, isObject } from '../../../people/values/values.ts'
import { joinPath, type Mistake } from '../../../workspace/settings/mistake.ts'
import { hasLiquid } from '../../mail/read-text.ts'
import type { ContentReader, ReadDefinition } from '../channel.ts'
import { shortened } from '../shortened.ts'
import { isOpenable, uriRule } from './openable-uri.ts'
import { payloadMistake } from './payload.ts'
import { extraMembersMax, type PushMessage, type PushName, timeToLiveMax } from './push-message.ts'

/** Characters of a text with Liquid, which may become shorter. */
const liquidCharactersMax = 10_000
const wordCharactersMax = 255
/** Bytes of a text by which a later push replaces an earlier one: Apple takes no more. */
const collapseBytesMax = 64
const badgeMax = 1_000_000

type Check = (value: unknown) => string | undefined

const words: Check = (value) =>
  isText(value) && value.length <= wordCharactersMax && value.trim() !== ''
    ? undefined
    : `must be a text of 1 to ${wordCharactersMax} characters`
const collapse: Check = (value) =>
  isText(value) && Buffer.byteLength(value) <= collapseBytesMax
    ? undefined
    : `must be a text of 1 to ${collapseBytesMax} bytes`
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')
const whole =
  (max: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max
      ? undefined
      : `must be a whole number from 0 to ${max}`
const uri: Check = (value) => {
  if (!isText(value)) return 'must be a text'
  return hasLiquid(value) || isOpenable(value) ? undefined : uriRule
}
const image: Check = (value) => {
  if (!isText(value)) return 'must be a text'
  return hasLiquid(value) || /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')
    ? undefined
    : 'must be a URL with http or https'
}
const priority: Check = (value) => (value === 'normal' || value === 'high' ? undefined : 'must be normal or high')

const common: Readonly<Record<string, Check>> = {
  custom_uri: uri,
  time_to_live: whole(timeToLiveMax),
  send_to_most_recent_device_only: flag,
  message_variation_id: words,
}
/** The members of each object besides `alert`, `title` and `extra`. */
const members: Readonly<Record<PushName, Readonly<Record<string, Check>>>> = {
  web_push: { ...common, image_url: image, large_image_url: image, require_interaction: flag },
  apple_push: {
    ...{ ...common, badge: whole(badgeMax), sound: words, category: words },
    ...{ collapse_id: collapse, notification_group_thread_id: words, image_url: image },
  },
  android_push: {
    ...{ ...common, sound: words, collapse_key: collapse, notification_channel_id: words },
    ...{ android_priority: priority, image_url: image },
  },
}
const textMembers = ['alert', 'title', 'extra'] as const

/** The texts of a push that may have Liquid, without those of `extra`. */
export const renderedMembers = ['alert', 'title', 'custom_uri', 'image_url', 'large_image_url'] as const

/**
 * Returns everything that is wrong with a push, each of another member. The alert of an Apple push of a request may be an object; in
 * definitions there is one way to write it. Pure.
 */
export function pushMistakes(name: PushName, given: unknown, path: string, isRequest = false): Mistake[] {
  if (!isObject(given)) return [{ path, message: 'must be an object with alert' }]
  const own = members[name]
  const known = [...textMembers, ...Object.keys(own)]
  const at = (member: string) => joinPath(path, member)
  const mistakes: Mistake[] = []
  for (const member of Object.keys(given)) {
    if (!known.includes(member))
      mistakes.push({ path: at(member), message: `is not known here; known are ${known.join(', ')}` })
  }
  mistakes.push(...alertMistakes(isRequest && name === 'apple_push', given, at))
  if (!isAbsent(given.extra)) mistakes.push(...extraMistakes(name, given.extra, at('extra')))
  for (const [member, check] of Object.entries(own)) {
    if (isAbsent(given[member])) continue
    const message = check(given[member])
    if (message !== undefined) mistakes.push({ path: at(member), message })
    else mistakes.push(...liquidMistakes(given[member], at(member)))
  }
  if (mistakes.length > 0) return mistakes
  const tooLong = payloadMistake(name, pushOf(given))
  return tooLong === undefined ? [] : [{ path, message: tooLong }]
}

function alertMistakes(
  takesObject: boolean,
  { alert, title }: Readonly<Record<string, unknown>>,
  at: (member: string) => string,
): Mistake[] {
  if (takesObject && isObject(alert)) {
    const unknown = Object.keys(alert).filter((member) => member !== 'title' && member !== 'body')
    return [
      ...unknown.map((member) => {
        return { path: `${at('alert')}.${member}`, message: 'is not known here; known are title, body' }
      }),
      ...textMistakes(alert.body, `${at('alert')}.body`, true),
      ...textMistakes(alert.title, `${at('alert')}.title`, false),
      ...(isAbsent(title) ? [] : [{ path: at('title'), message: 'must be absent beside an object in alert' }]),
    ]
  }
  return [...textMistakes(alert, at('alert'), true), ...textMistakes(title, at('title'), false)]
}

function textMistakes(given: unknown, path: string, isRequired: boolean): Mistake[] {
  if (isAbsent(given)) return isRequired ? [{ path, message: 'is required' }] : []
  if (!isText(given) || given.trim() === '') return [{ path, message: 'must be a text that is not empty' }]
  return liquidMistakes(given, path)
}

/** Reads a push that is still being written: its texts may have mistakes, which are found when they are rendered. Pure. */
export function readUnfinishedPush(
  name: PushName,
  given: Readonly<Record<string, unknown>>,
  path: string,
): { readonly push: PushMessage; readonly mistake: Mistake | undefined } {
  const own = members[name]
  const mistakes = Object.entries(given).flatMap(([member, value]): Mistake[] => {
    if (member !== 'alert' && member !== 'title' && member !== 'extra' && !Object.hasOwn(own, member))
      return [{ path: joinPath(path, member), message: 'is not a member of this push' }]
    if (isAbsent(value)) return []
    const check = member === 'extra' ? extraProblem : isRendered(member) ? textProblem : own[member]!
    const message = check(value)
    return message === undefined ? [] : [{ path: joinPath(path, member), message }]
  })
  return { push: { ...pushOf(given), alert: isText(given.alert) ? given.alert : '' }, mistake: mistakes[0] }
}

function isRendered(member: string): boolean {
  return (renderedMembers as readonly string[]).includes(member)
}

const textProblem: Check = (value) => (isText(value) ? undefined : 'must be a text')

function liquidMistakes(given: unknown, path: string): Mistake[] {
  if (typeof given !== 'string' || !hasLiquid(given)) return []
  if (given.length > liquidCharactersMax)
    return [{ path, message: `must be at most ${liquidCharactersMax} characters with Liquid` }]
  const malformed = malformedMistake(path, given)
  return malformed ? [malformed] : []
}

/** Names of data that FCM keeps for itself. */
const reservedByFcm = /^(?:(?:from|message_type|collapse_key|notification)$|google\.|gcm\.)/

const extraProblem: Check = (extra) => {
  if (!isObject(extra)) return 'must be an object'
  if (inspect(extra, true) & broken) return 'must have only values that JSON has'
  return Object.keys(extra).length > extraMembersMax ? `must have at most ${extraMembersMax} members` : undefined
}

function extraMistakes(name: PushName, extra: unknown, path: string): Mistake[] {
  const problem = extraProblem(extra)
  if (problem !== undefined) return [{ path, message: problem }]
  return Object.entries(extra as object).flatMap(([member, value]) =>
    name !== 'web_push' && reservedByFcm.test(member)
      ? [{ path: `${path}.${member}`, message: 'must have another name: the push service keeps this one for itself' }]
      : liquidMistakes(value, `${path}.${member}`),
  )
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && isCleanText(value)
}

/** Returns a push that has no mistakes. An alert of an Apple push may be an object. */
function pushOf(given: Readonly<Record<string, unknown>>): PushMessage {
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => !isAbsent(value)))
  if (!isObject(own.alert)) return own as PushMessage
  const { title, body } = own.alert
  return { ...own, alert: body, ...(!isAbsent(title) && { title }) } as PushMessage
}

function readDefinition(name: PushName, given: unknown, path: string): ReadDefinition<PushMessage> {
  const [mistake] = pushMistakes(name, given, path)
  return mistake ? { mistake } : { content: pushOf(given as Record<string, unknown>) }
}

export function pushContent(name: PushName): ContentReader<PushMessage> {
  const read = (given: unknown, path: string) => readDefinition(name, given, path)
  return {
    read(given, path) {
      const [mistake] = pushMistakes(name, given, path, true)
      if (mistake) throw invalid(`${mistake.path} ${mistake.message}`)
      return { content: pushOf(given as Record<string, unknown>), warnings: [], lost: [] }
    },
    check: async (_tx: Tx) => {},
    forDefinition: () => ({ read, mistakes: (given, path) => pushMistakes(name, given, path) }),
    readStored: read,
    standIn: { alert: '' },
    remaining: {
      kept: Object.keys(members[name]).filter((member) => !(renderedMembers as readonly string[]).includes(member)),
      emptied: ['alert'],
    },
    variationOf: ({ message_variation_id }) => message_variation_id,
    titleOf: ({ title, alert }) => shortened(title ?? alert),
    describe: ({ title, alert }, cut) => `Sends the push ${JSON.stringify(cut(title ?? alert))}.`,
    details: ({ alert, title, custom_uri }) => ({
      alert,
      ...(title !== undefined && { title }),
      ...(custom_uri !== undefined && { custom_uri }),
    }),
  }
}
