import { invalid } from '../../../base/errors.ts'
import { formatToken } from '../../../people/addresses/message-token.ts'
import { identifierOrThrow, readPhone } from '../../../people/identity/identifier.ts'
import { isCleanText, isObject } from '../../../people/values/values.ts'
import type { ChannelTrial } from '../channel.ts'
import { shortened } from '../shortened.ts'
import { lengthMistake, type TextMessage, textCharactersMax, textMembers } from './content.ts'
import { isPossibleNumber } from './phone-number.ts'
import { type PreparedText, statusUrlOf, textBytesMax } from './prepare-texts.ts'
import { openProvider, providerOf } from './provider.ts'
import { isSender, senderOf, senderRule } from './sender.ts'

/** A test is about nobody. */
const nobody = '0'

/** Shows texts before they are used. A text has no group while it is being written. */
export const textTrial: ChannelTrial<TextMessage, PreparedText> = {
  read(given, path) {
    if (!isObject(given)) throw invalid(`'${path}' must be an object with body`)
    const unknown = Object.keys(given).find((name) => !(textMembers as readonly string[]).includes(name))
    if (unknown !== undefined) throw invalid(`'${path}.${unknown}' is not a member of a text message`)
    for (const name of textMembers) {
      const value = given[name] ?? ''
      if (typeof value !== 'string' || !isCleanText(value)) throw invalid(`'${path}.${name}' must be a text`)
    }
    const { body = '', subscription_group_id = '', from, app_id } = given as Partial<TextMessage>
    if (from && !isSender(from)) throw invalid(`'${path}.from' ${senderRule}`)
    return { body, subscription_group_id, ...(from && { from }), ...(app_id && { app_id }) }
  },
  textsOf: ({ body }) => ({ body: { text: body, charactersMax: textCharactersMax } }),
  make(content, texts, { workspace, address, secret, publicUrl, test }) {
    const { from = senderOf(workspace.settings, content.subscription_group_id) } = content
    const rendered = (texts.body ?? '').trim()
    if (rendered === '') return { text: 'body', mistake: 'body is empty' }
    const body = (test?.mark ?? '') + rendered
    const tooLong = lengthMistake(body)
    if (tooLong !== undefined) return { text: 'body', mistake: `body ${tooLong}` }
    if (from === undefined && test?.isSent) {
      return { text: 'from', mistake: 'it has no sender: settings.sms.from is not set' }
    }
    const key = formatToken({ profile_id: nobody, message_id: test?.id ?? nobody }, 'message', secret)
    const subject = shortened(body)
    return {
      ...{ to: address, from, body, subject, key, group_id: undefined },
      ...{ links: [], warnings: [], bytes: textBytesMax, statusUrl: statusUrlOf(publicUrl, workspace.id, key) },
    }
  },
  recipient: {
    kind: 'address',
    read(given, path) {
      const read = readPhone(given)
      const phone = typeof read === 'string' ? undefined : identifierOrThrow(read).value
      if (phone === undefined || !isPossibleNumber(phone)) {
        throw invalid(`'${path}' must be a phone number with its country code, such as +4915112345678`)
      }
      return phone
    },
  },
  openTransport: ({ config: { smsUrl } }) => (smsUrl === undefined ? undefined : openProvider(providerOf(smsUrl))),
  keepsAll: ({ mail_delivery }) => mail_delivery === 'inbox',
}
