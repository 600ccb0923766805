import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callCharactersMax, callLineCharactersMax } from '../../src/messaging/channels/webhook/prepare-calls.ts'
import { drawDatabases } from '../support/harness.ts'
import { many, newId, peopleOf } from '../support/people.ts'

type Called = { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** Liquid that makes a text of so many characters. */
function textOf(characters: number): string {
  const piece = 'x'.repeat(1_000)
  const rest = 'x'.repeat(characters % piece.length)
  return `{% for i in (1..${Math.floor(characters / piece.length)}) %}${piece}{% endfor %}${rest}`
}

for (const database of drawDatabases('webhook-sizes')) {
  describe(`sizes of webhook calls (${database})`, () => {
    const calls: Called[] = []
    const fetcher = {
      async fetch(url: string, request: { headers?: Readonly<Record<string, string>>; body?: string } = {}) {
        calls.push({ url, headers: request.headers ?? {}, body: request.body ?? '' })
        return { status: 200, headers: {}, body: Buffer.alloc(0), url }
      },
      close: async () => {},
    }
    const people = peopleOf(database, { fetcher, env: { EASEL_CLOCK: 'virtual' } })

    /** Lets a person enter a canvas with this webhook for each text. Returns the calls, and the decision about each person. */
    async function call(step: object, texts: readonly string[]) {
      const id = newId()
      const hook = { id: 'hook', type: 'webhook', url: 'https://hooks.example.com/', ...step }
      const entry = { by: ['api'], again: 'always' }
      await people.service.admin('POST', '/admin/canvases', {
        ...{ id, name: id, state: 'active', entry, first: 'hook', steps: [hook] },
      })
      const ids = texts.map(() => newId())
      const recipients = texts.map((text, i) => ({ external_user_id: ids[i], canvas_entry_properties: { text } }))
      await people.set(...ids.map((external_id) => ({ external_id })))
      calls.length = 0
      const answer = await people.send('/canvas/trigger/send', { canvas_id: id, recipients })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
      const decisions = ids.map(async (external_id) => {
        const { body } = await people.service.admin('GET', `/admin/why?external_id=${external_id}&canvas_id=${id}`)
        const found = body.decisions.find(({ channel }: { channel: string }) => channel === 'webhook')
        return [found.reason, found.rule]
      })
      return { calls: [...calls], decisions: await Promise.all(decisions) }
    }

    const sent = ['sent', 'the webhook was called']
    const three = (characters: number) => [-1, 0, 1].map((by) => 'x'.repeat(characters + by))

    test('all texts of a call together have a limit', async () => {
      const most = textOf(callCharactersMax - 'https://hooks.example.com/'.length - 10)
      const text = 'canvas_entry_properties.${text}'
      const body = { one: `${most}{{${text}}}`, more: `{% if ${text} == 'twice' %}${most}{% endif %}` }
      // Calls that are much too large are prepared beside the others.
      const { decisions } = await call({ body }, [...three(10), ...many(4, () => 'twice')])
      const tooLong = ['template_error', `the texts of the call have more than ${callCharactersMax} characters`]
      assert.deepEqual(decisions, [sent, sent, ...many(5, () => tooLong)])
      assert.deepEqual(
        calls.map((one) => JSON.parse(one.body).one.length).sort(),
        [-1, 0].map((by) => callCharactersMax - 26 + by),
      )
    })

    test('a rendered URL and a rendered header have a limit', async () => {
      const text = '{{canvas_entry_properties.${text}}}'
      for (const [step, name] of [
        [{ url: `https://hooks.example.com/${text}` }, 'url'],
        [{ headers: { 'X-Text': `https://hooks.example.com/${text}` } }, 'header X-Text'],
      ] as const) {
        const { decisions } = await call(step, three(callLineCharactersMax - 26))
        const tooLong = `${name} must be at most ${callLineCharactersMax} characters`
        assert.deepEqual(decisions, [sent, sent, ['template_error', tooLong]])
      }
    })

    test('calls that are larger than expected are made, each once and with its own texts', async () => {
      const texts = many(4, (i) => `text ${i}`)
      const body = { text: '{{canvas_entry_properties.${text}}}', long: [textOf(200_000), textOf(500_000)] }
      const { decisions } = await call({ body }, texts)
      assert.deepEqual(
        decisions,
        texts.map(() => sent),
      )
      const parsed = calls.map((one) => JSON.parse(one.body))
      assert.deepEqual(parsed.map(({ text }) => text).sort(), texts.toSorted())
      for (const { long } of parsed)
        assert.deepEqual(
          long.map((one: string) => one.length),
          [200_000, 500_000],
        )
    })
  })
}
