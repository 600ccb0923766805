import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/base/config.ts'
import { allChannels } from '../../src/messaging/channels/channels.ts'
import { deliverySentence } from '../../src/messaging/inbox/delivery-sentence.ts'

const configOf = (env: Readonly<Record<string, string>> = {}) => readConfig({ EASEL_DATA: 'memory', ...env })
const said = (env: Readonly<Record<string, string>> = {}) =>
  deliverySentence(allChannels(), 'server', { config: configOf(env) })

test('without servers all but webhooks are kept, and the sentence says it of each channel', () => {
  assert.equal(
    said(),
    'Mails, text messages, pushes to browsers, pushes to Apple devices and pushes to Android devices are kept here and go to nobody, ' +
      'because no server for them is configured. Webhooks go to the receivers in their URLs; what these have accepted is here too, ' +
      'with their answers.',
  )
})

test('a server is named without its password', () => {
  const sentence = said({
    SMTP_URL: 'smtp://user:hunter2@mail.example.com:587',
    SMS_URL: 'https://account:hunter3@sms.example.com/',
  })
  assert.match(sentence, / Mails go to the mail server smtp:\/\/mail\.example\.com:587\./)
  assert.match(sentence, / Text messages go to the provider https:\/\/sms\.example\.com\./)
  assert.match(sentence, / Webhooks go to the receivers in their URLs\.$/)
  assert.doesNotMatch(sentence, /hunter/)
})

test('channels that go to one server are one sentence', () => {
  const channels = ['mails', 'texts', 'pages'].map((many, i) => {
    return { words: { ...allChannels()[0]!.words, many }, destination: () => (i === 1 ? undefined : 'the tower') }
  })
  assert.equal(
    deliverySentence(channels, 'server', { config: configOf() }),
    'Texts are kept here and go to nobody, because no server for them is configured. Mails and pages go to the tower.',
  )
})

test('a workspace and an emulator that send nothing say so', () => {
  const config = configOf({ SMTP_URL: 'smtp://mail.example.com' })
  assert.match(deliverySentence(allChannels(), 'inbox', { config }), /^All messages of this workspace are kept here/)
  const emulated = deliverySentence(allChannels(), 'server', { config: configOf(), judge: () => undefined })
  assert.match(emulated, /and webhooks are kept here and go to nobody, because no server for them is configured\.$/)
})
