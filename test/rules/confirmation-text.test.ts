import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  confirmationFields,
  confirmationMistake,
  confirmationText,
  confirmationWord,
  confirmedReply,
} from '../../src/messaging/channels/sms/confirmation-text.ts'
import { wordOf } from '../../src/messaging/channels/sms/keywords.ts'
import { segmentsOf } from '../../src/messaging/channels/sms/segments.ts'
import { validHoursMax } from '../../src/workspace/settings/double-opt-in.ts'

const settings = { sms: { from: '+15550001111' } }
const languages = ['en', 'de', 'fr', 'es', 'pt-BR']

test('a word is the same in each case, with accents, spaces and marks', () => {
  for (const text of ['SI', 'si', 'Sí', ' sí! ', '"Si."', 'S-I', '(si)']) assert.equal(wordOf(text), 'SI', text)
  for (const text of ['', '!?', '👍', 'x'.repeat(31)]) assert.equal(wordOf(text), '', text)
  assert.equal(wordOf('x'.repeat(30)), 'X'.repeat(30))
  assert.equal(wordOf('はい。'), 'はい')
})

test('a keyword is a word of its own, YES without one', () => {
  const mistakeOf = (keyword: string) => confirmationMistake({ enabled: true, keyword }, 'g', settings)?.path
  for (const keyword of ['YES', 'yes', 'Ja', 'Oui!', 'はい', '1']) assert.equal(mistakeOf(keyword), undefined, keyword)
  for (const keyword of ['STOP', 'stop.', 'Opt-out', 'START', 'Unstop', 'help', 'INFO', '?', ' ']) {
    assert.equal(mistakeOf(keyword), 'keyword', keyword)
  }
  assert.equal(confirmationMistake({ enabled: true }, 'g', settings), undefined)
  assert.equal(confirmationWord({ enabled: true }), 'YES')
  assert.equal(confirmationWord({ enabled: true, keyword: ' Já ' }), 'JA')
})

test('a text of the group must say the keyword, and nobody can reply to a name', () => {
  const mistakeOf = (body: string) => confirmationMistake({ enabled: true, keyword: 'JA', body }, 'g', settings)
  for (const body of ['Antworte {{${confirmation_keyword}}}', 'Antworte JA!', 'Bitte "ja" antworten']) {
    assert.equal(mistakeOf(body), undefined, body)
  }
  for (const body of ['Antworte YES', 'Januar', '{{', ' ', 'JA '.repeat(600)]) {
    assert.equal(mistakeOf(body)?.path, 'body', body)
  }
  const named = (sms: object) => confirmationMistake({ enabled: true }, 'g', { sms })
  assert.match(named({ from: 'Shop' })!.message, /"Shop" is a name/)
  assert.equal(named({ from: '+15550001111', from_by_group: { g: 'Shop' } })?.path, 'enabled')
  for (const from of ['12345', '+15550001111', `MG${'a'.repeat(32)}`]) assert.equal(named({ from }), undefined, from)
  assert.equal(named({}), undefined)
})

test('the built-in texts are one segment, with a usual name of a group', () => {
  for (const language of languages) {
    const optIn = { enabled: true, valid_hours: validHoursMax, keyword: 'CONFIRM' }
    const { body, confirmation } = confirmationText(optIn, {
      subscription_group_id: 'g',
      group: 'Offers of Studio Loom',
      language,
    })
    const fields = confirmationFields(confirmation!)
    const rendered = body.replaceAll(/\{\{\$\{(\w+)\}\}\}/g, (_, name: string) => fields[name]!)
    assert.match(rendered, /Offers of Studio Loom.*CONFIRM.*720.*HELP.*STOP/, rendered)
    const replied = confirmedReply([{ name: 'Offers of Studio Loom', language, double_opt_in: null }])
    for (const text of [rendered, replied]) {
      const { encoding, segments } = segmentsOf(text)
      assert.deepEqual([encoding, segments], ['GSM-7', 1], text)
    }
  }
})

test('the answer names each group once, in the words of a group that has some', () => {
  const one = { name: 'Offers', language: 'de', double_opt_in: null }
  const other = {
    name: 'Alerts',
    language: 'en',
    double_opt_in: { enabled: true, confirmed_reply: 'Yes to {group}: $&' },
  }
  assert.match(confirmedReply([one, one]), /^Sie bekommen ab jetzt Offers\. /)
  assert.equal(confirmedReply([one, other]), 'Yes to Offers, Alerts: $&')
})
