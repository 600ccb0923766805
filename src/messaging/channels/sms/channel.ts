import type { Channel } from '../channel.ts'
import { textConsent } from './consent.ts'
import type { TextConsentRow } from './consent-store.ts'
import { type TextMessage, textContent } from './content.ts'
import { textPages } from './pages.ts'
import { callingCodeOf } from './phone-number.ts'
import { type PreparedText, prepareTexts, textBytesMax } from './prepare-texts.ts'
import { providerOf } from './provider.ts'
import { recordRefusedNumbers } from './record-refused-numbers.ts'
import { segmentsOf } from './segments.ts'
import { textTrial } from './trial.ts'

/** Text messages, by the HTTP interface that most providers have. */
export const sms: Channel<TextMessage, PreparedText, TextConsentRow> = {
  name: 'sms',
  words: {
    one: 'text message',
    many: 'text messages',
    waiting: 'Text messages wait',
    server: 'provider of text messages',
    sent: 'A text message',
    preparing: 'its text, which is being prepared',
    reasons: {
      sent: 'the provider took it',
      suppressed: 'the phone number is known to be invalid',
      template_error: 'the template could not be rendered, or no text could be made for another reason',
      refused_by_server: 'the provider refused it',
      expired: 'the provider deferred it until it was too old',
    },
    refused: {
      hard: 'the provider says that the number gets no text messages',
      soft: 'the provider says that the number was not reached',
      policy: 'the provider refuses the text',
    },
  },
  look: 'text',
  destination: ({ config: { smsUrl } }) => smsUrl && `the provider ${providerOf(smsUrl).base}`,
  content: textContent,
  consent: textConsent,
  metrics: {
    failures: {
      name: 'easel_sms_failures_total',
      help: 'Text messages that the provider did not accept, by kind: unreached, deferred, refused or uncertain.',
    },
    spared: {
      name: 'easel_sms_provider_spared',
      help: '1 while text messages wait because the provider cannot be reached, also while a single one tests it, else 0.',
    },
  },
  counted: {
    counts: [
      { measure: 'delivered', words: 'Not returned', of: 'sent' },
      { measure: 'bounces', words: 'Refused or returned', of: 'tried' },
    ],
    unknown: 'Opens and clicks of text messages are not known: no provider reports them.',
  },
  rates: { name: 'sms', of: ({ sms: { per_second } }) => (per_second === undefined ? {} : { per_second }) },
  domainOf: callingCodeOf,
  recordRefused: recordRefusedNumbers,
  keep: ({ from = null, to, body, subject }, address) => {
    return [{ address, subject, source: Buffer.from(JSON.stringify({ from, to, body })) }]
  },
  async show(source) {
    const text = source.toString('utf8')
    const { from, body } = JSON.parse(text) as { from: string | null; body: string }
    return { from, headers: {}, html: null, text: body, attachments: [], details: segmentsOf(body), source: text }
  },
  open(services) {
    const transport = textTrial.openTransport(services)
    return {
      prepare: (batch) => prepareTexts(services, batch, transport !== undefined),
      bytesMax: textBytesMax,
      sizeOf: ({ body }) => ({ texts: Buffer.byteLength(body), files: 0 }),
      transport,
      keepsAll: textTrial.keepsAll,
    }
  },
  openPreview: (services) => async (message) => {
    const [made] = await prepareTexts({ ...services, isPreview: true }, [message], false)
    if ('reason' in made!) return made
    const { from = null, to, body, subject } = made!
    return { subject, source: Buffer.from(JSON.stringify({ from, to, body })) }
  },
  trial: textTrial,
  pages: textPages,
}
