import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Database } from '../support/harness.ts'
import { apps, type Item, peopleOf } from '../support/people.ts'
import { campaign, canvas, triggeredWorkspace } from '../support/triggers.ts'

type Sent = {
  readonly method: string
  readonly path: string
  readonly body: Item | null
  readonly real_status: number | null
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '../wire', file), 'utf8'))
const served = [
  /^\/(campaigns|canvas|sends|events|kpi\/\w+|purchases|sessions|feed|segments)\/(\w+_series|data_summary|product_list)/,
  /^\/(events|feed|segments)\/(list|details)/,
  /^\/(preference_center|transactional|sms|content_blocks|templates)/,
  /^\/users\/export\/global_control_group/,
]
/** The requests of existing clients about numbers, lists and contents, with their index in the file. */
const sent = [...(read('requests.json') as Sent[]).entries()].filter(([, { path }]) =>
  served.some((each) => each.test(path)),
)

const plan = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'exists' } }
/** The canvases, campaigns, segments and apps that the requests name, without the braces. */
const workspace = {
  ...triggeredWorkspace,
  settings: { global_control_group: { ranges: [{ from: 0, to: 499 }] } },
  apps: [...Object.values(apps), { id: 'app_identifier', name: 'App', platform: 'web' }],
  canvases: [canvas('canvas_id')],
  campaigns: [campaign('campaign_identifier'), campaign('campaign_id', { class: 'transactional' })],
  segments: ['segment_identifier', 'segment_api_identifier', 'segment123'].map((id) => {
    return { id, name: id, audience: plan }
  }),
}

type Expected = { readonly status: number; readonly message: string; readonly members: readonly string[] }

const shown = (...members: string[]): Expected => ({ status: 200, message: 'success', members })
const taken = (...members: string[]): Expected => ({ status: 201, message: 'success', members })
const refused = (message: string): Expected => ({ status: 400, message, members: [] })
const noCard = refused("There is no card with this 'card_id'")
const noUnit = refused("'unit' must be day or hour")
const noBlock = refused('Content Block ID is invalid for this workspace')
const noTemplate = refused('Email Template ID is invalid for this workspace')
const center = ['created_at', 'liquid_tag', 'preference_center_api_id']
const details = ['created_at', 'description', 'name', 'tags', 'teams', 'text_description', 'updated_at']
const transactional = taken('dispatch_id', 'metadata', 'status')

/** The answers to the requests of existing clients, by their index in the file, with the names of their other members. */
const expectedOfSent: Readonly<Record<number, Expected>> = {
  0: shown('data'),
  16: shown('data'),
  17: shown('data'),
  55: taken('content_block_id', 'created_at', 'liquid_tag'),
  56: shown(
    ...['content', 'content_block_id', 'content_type', 'created_at', 'description', 'inclusion_count', 'last_edited'],
    ...['name', 'tags'],
  ),
  57: shown('content_blocks', 'count'),
  58: noBlock, // an id that nobody has
  75: shown('data'),
  76: shown('data'),
  77: shown('events'),
  78: shown('events'),
  79: noCard,
  80: noCard,
  81: shown('cards'),
  82: shown('data'), // an offset of one digit
  83: shown('data'),
  84: shown('data'),
  85: shown('data'),
  100: shown('preference_center_url'), // what the path names, in the query too
  101: shown(
    ...['confirmation_page_html', 'created_at', 'name', 'preference_center_api_id', 'preference_center_options'],
    ...['preference_center_page_html', 'preference_center_title', 'redirect_page_html', 'state', 'updated_at'],
  ),
  102: refused('Preference Center name cannot be updated for active Preference Centers'),
  103: taken(...center),
  104: shown('products'),
  105: noUnit, // 14
  106: noUnit,
  112: shown('data'),
  113: shown('data'),
  114: taken('data'),
  115: shown(...details),
  116: shown(...details),
  117: refused('segment_id must be a string of the Segment api identifier'),
  118: shown('segments'),
  119: shown('segments'),
  120: shown('segments'),
  121: shown('segments'),
  122: shown('segments'),
  123: shown('data'), // a send_id that nobody has created
  125: shown('data'),
  126: shown('sms'),
  127: refused('\'phone\' is not valid (phone_numbers[0]: "string")'),
  158: taken('email_template_id'),
  159: taken('email_template_id'),
  160: shown(
    ...['body', 'created_at', 'description', 'email_template_id', 'plaintext_body', 'preheader', 'should_inline_css'],
    ...['subject', 'tags', 'template_name', 'updated_at'],
  ),
  161: refused('Email Template ID cannot be blank'),
  162: shown('count', 'templates'),
  163: shown('count', 'templates'),
  164: noTemplate,
  165: noTemplate,
  166: transactional,
  167: transactional, // the same external_send_id, another campaign
  181: taken('object_prefix', 'url'),
}

export function replayOthers(database: Database): void {
  describe(`requests about numbers, lists and contents (${database})`, () => {
    const people = peopleOf(database, { workspace })
    const ids: Record<string, string> = {}

    before(async () => {
      const made = async (path: string, body: Item) => (await people.service.post(path, body)).body
      await people.set({ external_id: 'UserID', first_name: 'Ann' })
      ids.PreferenceCenterExternalID = (
        await made('/preference_center/v1', {
          name: 'mail',
          preference_center_title: 'Mail',
          preference_center_page_html: '<p>Page</p>',
          confirmation_page_html: '<p>Saved</p>',
        })
      ).preference_center_api_id
      const template = { template_name: 'Hello', subject: 'Hello', body: '<p>Hello</p>' }
      ids.email_template_id = (await made('/templates/email/create', template)).email_template_id
      const block = { name: 'footer', content: 'Bye' }
      ids.content_block_id = (await made('/content_blocks/create', block)).content_block_id
    })

    test('are answered as the contract says', async () => {
      assert.deepEqual(
        sent.map(([index]) => index),
        Object.keys(expectedOfSent).map(Number),
      )
      for (const [index, { method, path, body, real_status }] of sent) {
        const filled = path.replaceAll(/\{+(\w+)\}+/g, (_, name: string) => ids[name] ?? name)
        const answer = await people.service.send(method, filled, body ?? undefined)
        const { status, message, members } = expectedOfSent[index]!
        assert.deepEqual([answer.status, answer.body.message], [status, message], `${index}: ${answer.text}`)
        if (real_status !== null) assert.equal(status, real_status, `${index}: ${answer.text}`)
        if (status === 400) continue
        assert.deepEqual(Object.keys(answer.body).toSorted(), [...members, 'message'].toSorted(), `${index}`)
      }
    })
  })
}
