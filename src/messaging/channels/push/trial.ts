import { invalid } from '../../../base/errors.ts'
import { person } from '../../../people/identity/person.ts'
import { isCleanText, isObject } from '../../../people/values/values.ts'
import type { ChannelTrial, TrialMistake, TrialTarget } from '../channel.ts'
import { readUnfinishedPush, renderedMembers } from './content.ts'
import { payloadSize } from './payload.ts'
import { charactersMax, mistakeOf, type PreparedPush, preparedPush, textsOf, withTexts } from './prepare-pushes.ts'
import type { PushMessage, PushName } from './push-message.ts'
import { openPushTransport } from './send-pushes.ts'
import { senderOf } from './sender.ts'

/** A push that is only looked at is about nobody. */
const nobody = person(0, '0')

/** About how many characters of a title and of a text a notification shows before it is opened; devices differ. */
export const shownCharactersMax = {
  web_push: { title: 50, alert: 120 },
  apple_push: { title: 40, alert: 150 },
  android_push: { title: 45, alert: 240 },
} as const satisfies Readonly<Record<PushName, object>>

const untitled = {
  web_push: 'It has no title, so browsers show the text in place of it.',
  apple_push: 'It has no title. Most notifications have one, above the text.',
  android_push: 'It has no title. Most notifications have one, above the text.',
} as const satisfies Readonly<Record<PushName, string>>

/** Shows pushes of a channel before they are used, and sends them as tests to the devices of a person. */
export function pushTrial(name: PushName): ChannelTrial<PushMessage, PreparedPush> {
  return {
    read(given, path) {
      if (!isObject(given)) throw invalid(`'${path}' must be an object with alert`)
      const { push, mistake } = readUnfinishedPush(name, given, path)
      if (mistake) throw invalid(`'${mistake.path}' ${mistake.message}`)
      return push
    },
    textsOf: (content) =>
      Object.fromEntries(textsOf(content).map(([member, text]) => [member, { text, charactersMax }])),
    make: (content, texts, target) => makePush(name, withTexts(content, texts), target),
    recipient: { kind: 'person' },
    bytesOf: ({ push }) => payloadSize(name, push),
    openTransport(services) {
      const sender = senderOf(name, services)
      return sender && openPushTransport(name, sender, services)
    },
    keepsAll: ({ mail_delivery }) => mail_delivery === 'inbox',
  }
}

function makePush(
  name: PushName,
  rendered: PushMessage,
  { workspace, person: { bucket, profile_id } = nobody, secret, test }: TrialTarget,
): PreparedPush | TrialMistake {
  const unclean = uncleanText(rendered)
  if (unclean !== undefined) return { text: unclean, mistake: `${unclean} must be a text that can be stored` }
  const push = test ? marked(rendered, test.mark) : rendered
  const mistake = mistakeOf(name, push)
  if (mistake) return mistake
  const about = { bucket, profile_id, workspace_id: workspace.workspace_id, message_id: test?.id ?? '0' }
  // Somebody waits for a test with the device in the hand.
  return { ...preparedPush(push, about, test !== undefined, secret), warnings: pushWarnings(name, push) }
}

function marked({ alert, title, ...rest }: PushMessage, mark: string): PushMessage {
  return title === undefined ? { ...rest, alert: mark + alert } : { ...rest, alert, title: mark + title }
}

/** Liquid can make any text. */
function uncleanText(push: PushMessage): string | undefined {
  return renderedMembers.find((member) => push[member] !== undefined && !isCleanText(push[member]))
}

/** Returns what a notification would not show as it is written. Pure. */
export function pushWarnings(name: PushName, { alert, title }: PushMessage): string[] {
  const most = shownCharactersMax[name]
  const [shownTitle, shownText] = title === undefined && name === 'web_push' ? [alert, ''] : [title ?? '', alert]
  return [
    ...(title === undefined ? [untitled[name]] : []),
    ...cutWarning('title', shownTitle, most.title),
    ...cutWarning('text', shownText, most.alert),
  ]
}

function cutWarning(what: string, text: string, most: number): string[] {
  const characters = [...text].length
  if (characters <= most) return []
  return [`The ${what} has ${characters} characters. Many devices cut it after about ${most}.`]
}
