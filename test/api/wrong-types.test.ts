import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { drawDatabases } from '../support/harness.ts'
import { mail } from '../support/messages.ts'
import { apps, groups, type Item, peopleOf } from '../support/people.ts'
import { campaign, triggeredWorkspace } from '../support/triggers.ts'
import { placesOf, wrongTypesOf } from '../support/wrong-types.ts'

const alias = { alias_name: 'a', alias_label: 'b' }
const aliasUpdate = { alias_label: 'b', old_alias_name: 'a', new_alias_name: 'c' }
const email = 'ann@example.com'
const phone = '+15551234567'
const time = '2040-01-01T10:00:00Z'
const prioritization = ['identified']
const audience = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }
const schedule = { time, in_local_time: false, at_optimal_time: false }

/** A valid body of an endpoint, and the places at which other types are accepted, each with the values that are. */
type Request = {
  readonly path: string
  readonly body: () => Item
  readonly accepts?: { readonly [place: string]: readonly unknown[] }
}

// Existing clients send integers as ids (test/wire), and for one id a text in place of the list.
const integers = [5]
const oneId = [5, 'x']
const text = ['x']
const scalars = [5, 1.5, true]

let made = 0
const newName = () => `made-${++made}`

const state = { subscription_state: 'subscribed' }
const requests: readonly Request[] = [
  {
    path: '/users/export/ids',
    body: () => ({
      external_ids: ['a'],
      user_aliases: [alias],
      service_id: 'x',
      email_address: email,
      fields_to_export: ['email'],
    }),
    accepts: { external_ids: [[5]], 'external_ids[]': integers },
  },
  { path: '/users/export/ids', body: () => ({ phone, fields_to_export: ['email'] }) },
  { path: '/users/export/ids', body: () => ({ device_id: 'a-device', fields_to_export: ['email'] }) },
  {
    path: '/users/alias/new',
    body: () => ({ user_aliases: [{ external_id: 'a', ...alias }] }),
    accepts: { 'user_aliases[].external_id': integers },
  },
  { path: '/users/alias/new', body: () => ({ user_aliases: [{ user_alias: alias }] }) },
  { path: '/users/alias/update', body: () => ({ alias_updates: [aliasUpdate] }) },
  {
    path: '/users/external_ids/rename',
    body: () => ({ external_id_renames: [{ current_external_id: 'a', new_external_id: 'b' }] }),
  },
  { path: '/users/external_ids/remove', body: () => ({ external_ids: ['a'] }) },
  {
    path: '/users/merge',
    body: () => ({
      merge_updates: [{ identifier_to_merge: { external_id: 'a' }, identifier_to_keep: { email, prioritization } }],
    }),
  },
  {
    path: '/users/merge',
    body: () => ({
      merge_updates: [{ identifier_to_merge: { user_alias: alias }, identifier_to_keep: { phone, prioritization } }],
    }),
  },
  {
    path: '/users/delete',
    body: () => ({ external_ids: ['nobody'] }),
    accepts: { external_ids: [[5]], 'external_ids[]': integers },
  },
  { path: '/users/delete', body: () => ({ user_aliases: [alias] }) },
  { path: '/users/delete', body: () => ({ service_ids: ['a'] }) },
  { path: '/users/delete', body: () => ({ email_addresses: [{ email, prioritization }] }) },
  { path: '/users/delete', body: () => ({ phone_numbers: [{ phone, prioritization }] }) },
  {
    path: '/users/identify',
    body: () => ({ aliases_to_identify: [{ external_id: 'z', user_alias: alias }], merge_behavior: 'merge' }),
    accepts: { 'aliases_to_identify[].external_id': integers },
  },
  {
    path: '/users/identify',
    body: () => ({ emails_to_identify: [{ external_id: 'z', email, prioritization }] }),
    accepts: { 'emails_to_identify[].external_id': integers },
  },
  {
    path: '/users/identify',
    body: () => ({ phone_numbers_to_identify: [{ external_id: 'z', phone, prioritization }] }),
    accepts: { 'phone_numbers_to_identify[].external_id': integers },
  },
  {
    path: '/v2/subscription/status/set',
    body: () => ({
      subscription_groups: [
        {
          subscription_group_id: groups.news.id,
          external_ids: ['a'],
          emails: [email],
          use_double_opt_in_logic: true,
          ...state,
        },
      ],
    }),
    accepts: {
      'subscription_groups[].external_ids': [...text, [5]],
      'subscription_groups[].external_ids[]': integers,
    },
  },
  {
    path: '/v2/subscription/status/set',
    body: () => ({ subscription_groups: [{ subscription_group_id: groups.alerts.id, phones: [phone], ...state }] }),
  },
  {
    path: '/subscription/status/set',
    body: () => ({ subscription_group_id: groups.news.id, external_id: ['a'], email: [email], ...state }),
    accepts: { external_id: [...oneId, [5]], 'external_id[]': integers },
  },
  {
    path: '/subscription/status/set',
    body: () => ({ subscription_group_id: groups.alerts.id, phone: [phone], ...state }),
  },
  { path: '/email/status', body: () => ({ email: [email], ...state }) },
  ...['/email/bounce/remove', '/email/spam/remove', '/email/blocklist', '/email/blacklist'].map((path) => ({
    path,
    body: () => ({ email: [email] }),
  })),
  { path: '/sms/invalid_phone_numbers/remove', body: () => ({ phone_numbers: [phone] }) },
  {
    path: '/users/export/segment',
    body: () => ({
      segment_id: 'gold',
      callback_endpoint: 'https://example.com/',
      fields_to_export: ['email'],
      custom_attributes_to_export: ['plan'],
      output_format: 'zip',
    }),
  },
  {
    path: '/users/export/global_control_group',
    body: () => ({
      callback_endpoint: 'https://example.com/',
      fields_to_export: ['email'],
      output_format: 'zip',
    }),
  },
  ...(['canvas', 'campaign'] as const).map((kind) => ({
    path: kind === 'canvas' ? '/canvas/duplicate' : '/campaigns/duplicate',
    body: () => ({
      [`${kind}_id`]: kind === 'canvas' ? 'welcome' : 'news',
      name: newName(),
      description: 'd',
      tag_names: ['a'],
    }),
  })),
  { path: '/sends/id/create', body: () => ({ campaign_id: 'news', send_id: newName() }) },
  {
    path: '/canvas/trigger/send',
    body: () => ({
      canvas_id: 'welcome',
      canvas_entry_properties: {},
      audience,
      broadcast: false,
      recipients: [{ external_user_id: 'ann', context: {}, send_to_existing_only: true, attributes: {} }],
    }),
    accepts: {
      'audience.custom_attribute.value': scalars,
      'recipients[].external_user_id': integers,
      // Clients send one recipient without its list; here it has no identifier.
      recipients: [],
    },
  },
  { path: '/canvas/trigger/send', body: () => ({ canvas_id: 'welcome', recipients: [{ user_alias: alias }] }) },
  { path: '/canvas/trigger/send', body: () => ({ canvas_id: 'welcome', recipients: [{ service_id: 'a' }] }) },
  { path: '/canvas/trigger/send', body: () => ({ canvas_id: 'welcome', recipients: [{ email, prioritization }] }) },
  {
    path: '/canvas/trigger/schedule/create',
    body: () => ({ canvas_id: 'welcome', recipients: [{ email }], schedule }),
  },
  {
    path: '/campaigns/trigger/send',
    body: () => ({ campaign_id: 'news', trigger_properties: {}, recipients: [{ email, trigger_properties: {} }] }),
  },
  {
    path: '/transactional/v1/campaigns/receipt/send',
    body: () => ({
      external_send_id: newName(),
      trigger_properties: {},
      recipient: { external_user_id: 'ann', attributes: {}, trigger_properties: {} },
    }),
    accepts: { 'recipient.external_user_id': integers },
  },
  {
    path: '/messages/send',
    body: () => ({
      external_user_ids: ['ann'],
      user_aliases: [alias],
      segment_id: 'gold',
      audience,
      broadcast: false,
      recipient_subscription_state: 'all',
      override_frequency_capping: false,
      send_id: newName(),
      messages: {
        email: mail({
          reply_to: email,
          plaintext_body: 'Hello',
          preheader: 'Hello',
          extras: { code: 'a' },
          headers: { 'X-Code': 'a' },
          should_inline_css: true,
          attachments: [{ file_name: 'a', url: 'https://example.com/a.pdf' }],
        }),
      },
    }),
    accepts: {
      external_user_ids: [[5]],
      'external_user_ids[]': integers,
      'audience.custom_attribute.value': scalars,
      'messages.email.extras': [{}],
      'messages.email.extras.code': scalars,
      'messages.email.headers.X-Code': scalars,
    },
  },
  {
    path: '/messages/schedule/create',
    body: () => ({ external_user_ids: ['ann'], schedule, messages: { email: mail() } }),
    accepts: { external_user_ids: [[5]], 'external_user_ids[]': integers },
  },
  {
    path: '/content_blocks/create',
    body: () => ({ name: newName(), description: 'd', content: 'c', state: 'active', tags: ['a'] }),
  },
  {
    path: '/templates/email/create',
    body: () => ({
      template_name: 't',
      subject: 's',
      body: 'b',
      plaintext_body: 'p',
      preheader: 'p',
      tags: ['a'],
      should_inline_css: true,
    }),
  },
  {
    path: '/media_library/create',
    body: () => ({ asset_file: Buffer.from('GIF89a').toString('base64'), name: 'picture' }),
  },
  {
    path: '/partners/acme/cohorts',
    body: () => ({ cohort_id: newName(), name: 'n', created_at: time }),
    accepts: { cohort_id: integers },
  },
  {
    path: '/partners/acme/cohorts/users',
    body: () => ({
      cohort_id: 'tea',
      cohort_changes: [{ user_ids: ['a'], device_ids: ['a'], aliases: [alias], should_remove: true }],
    }),
    accepts: { cohort_id: integers, 'cohort_changes[].user_ids[]': integers },
  },
  {
    path: '/preference_center/v1',
    body: () => ({
      name: newName(),
      preference_center_title: 't',
      preference_center_page_html: 'p',
      confirmation_page_html: 'c',
      state: 'active',
      options: {
        'meta-viewport-content': 'v',
        'link-tags': [{ rel: 'icon', href: 'https://a.example/', type: 't', sizes: 's' }],
      },
    }),
  },
  {
    path: '/segments/data_series',
    body: () => ({ segment_id: 'gold', length: 1, ending_at: '2026-01-01T00:00:00Z', unit: 'day' }),
  },
  {
    path: '/catalogs',
    body: () => ({ catalogs: [{ name: newName(), description: 'd', fields: [{ name: 'id', type: 'string' }] }] }),
  },
  { path: '/catalogs/things/fields', body: () => ({ fields: [{ name: newName(), type: 'string' }] }) },
  {
    path: '/catalogs/things/selections',
    body: () => ({
      selection: {
        name: newName(),
        description: 'd',
        filters: [{ field: 'Name', operator: 'equals', value: 'a' }],
        results_limit: 5,
        sort_field: 'Name',
        sort_order: 'asc',
      },
    }),
    // Values of a catalog are converted to the type of their field.
    accepts: { 'selection.filters[].value': scalars },
  },
  {
    path: '/catalogs/things/items',
    body: () => ({ items: [{ id: newName(), Name: 'x' }] }),
    accepts: { 'items[].Name': scalars },
  },
  {
    path: '/sdk/data',
    body: () => ({
      identifier: { external_id: 'ann' },
      device: { device_id: 'device-0001', model: 'm', idfa: 'a', ad_tracking_enabled: true },
      app_id: apps.phone.id,
      app_version: '1',
      sessions: [{ started_at: time, ended_at: time }],
      push_token: 't',
      attribution: { campaign: 'c' },
      card_clicks: [{ name: 'a', time }],
      uninstalled_at: time,
    }),
    accepts: { 'identifier.external_id': integers, 'card_clicks[]': text },
  },
]

/** Queries of which one value would be lost. */
const repeated = [
  '/canvas/list?page=0&page=1',
  '/campaigns/list?include_archived=true&include_archived=false',
  '/campaigns/list?last_edit.time[gt]=2026-01-01&last_edit.time[gt]=2026-01-02',
  '/canvas/details?canvas_id=welcome&canvas_id=for-gold',
  '/segments/list?sort_direction=asc&sort_direction=desc',
  '/segments/details?segment_id=gold&segment_id=silver',
  '/segments/data_series?segment_id=gold&length=7&length=8',
  '/content_blocks/list?limit=1&limit=2',
  '/content_blocks/info?content_block_id=a&content_block_id=b',
  '/templates/email/list?modified_after=2026-01-01&modified_after=2026-01-02',
  '/templates/email/info?email_template_id=a&email_template_id=b',
  '/email/hard_bounces?start_date=2026-01-01&start_date=2026-01-02&end_date=2026-02-01',
  '/sms/invalid_phone_numbers?phone_numbers=15551234567&reason=deactivated&reason=provider_error',
  '/email/unsubscribes?end_date=2026-02-01&email=a@example.com&email=b@example.com',
  '/subscription/user/status?external_id=a&limit=1&limit=2',
  `/subscription/status/get?external_id=a&subscription_group_id=${groups.news.id}&subscription_group_id=${groups.offers.id}`,
  '/messages/scheduled_broadcasts?end_time=2026-01-01&end_time=2026-01-02',
]

const workspace = {
  ...triggeredWorkspace,
  settings: { rate_limits: { export_ids: 'unlimited' } },
  campaigns: [campaign('news'), campaign('receipt', { class: 'transactional' })],
  catalogs: [
    {
      name: 'things',
      fields: [
        { name: 'id', type: 'string' },
        { name: 'Name', type: 'string' },
      ],
    },
  ],
}

for (const database of drawDatabases('wrong-types')) {
  describe(`values of the wrong type (${database})`, () => {
    const people = peopleOf(database, { workspace })
    before(async () => {
      for (const cohort_id of ['tea', 5]) await people.send('/partners/acme/cohorts', { cohort_id, name: 'n' })
    })

    test('are refused in queries that give one parameter twice', async () => {
      for (const path of repeated) {
        const { status, body } = await people.get(path)
        assert.equal(status, 400, path)
        assert.match(body.message, /^'[\w.[\]]+' may be given once$/, path)
      }
    })

    for (const { path, body, accepts = {} } of requests) {
      test(`are refused at every place of ${path} with ${Object.keys(body()).join(', ')}`, async () => {
        const accepted: string[] = []
        for (const place of placesOf(body())) {
          const own = accepts[place.path] ?? []
          const wrong = wrongTypesOf(place.value).filter((value) => !own.some((each) => isDeepStrictEqual(each, value)))
          for (const value of [...wrong, ...own]) {
            const { put } = placesOf(body()).find((each) => each.path === place.path)!
            const answer = await people.send(path, put(value))
            const { message, rename_errors = [], removal_errors = [] } = answer.body
            const isListed = rename_errors.length + removal_errors.length > 0
            if ((isListed || (answer.status === 400 && message !== 'success')) === own.includes(value)) {
              accepted.push(`${place.path || 'the body'} = ${JSON.stringify(value)}: ${answer.status} ${answer.text}`)
            }
          }
        }
        assert.deepEqual(accepted, [])
      })
    }
  })
}
