const ada = { external_id: 'ada' }
const time = '2026-01-15T10:00:00Z'
const later = { time: '2040-06-01T09:00:00Z' }
const mail = {
  app_id: 'shop',
  from: 'Shop <hello@shop.example>',
  subject: 'Hello',
  body: '<p>Hello {{${first_name}}}</p>',
}
const recipients = [{ external_user_id: 'ada', trigger_properties: { shelf: 'easels' } }]
const signedUp = { ...ada, name: 'signed_up', time, properties: { source: 'shop' } }
const ordered = { ...ada, product_id: 'studio-easel', currency: 'EUR', price: 99.5, quantity: 1, time }
const profile = { ...ada, first_name: 'Ada', email: 'ada@example.com', plan: 'gold', visits: { inc: 1 } }
const fields_to_export = ['external_id', 'first_name', 'email', 'custom_attributes']
const schedule_id = '9f0c2a54-7d3b-4c7e-8f11-2b6f0e5a1c3d'
const center = {
  name: 'choices',
  preference_center_title: 'What do you want to get?',
  preference_center_page_html: '<p>Choose.</p>',
  confirmation_page_html: '<p>Saved.</p>',
}

/**
 * A request that each endpoint accepts, for `/openapi.json`: a shop with the app `shop`, the canvas `welcome`, the campaigns `news` and
 * `receipt`, the segment `gold`, the group `newsletter` and the catalog `easels`. A test sends each of them.
 */
export const requestExamples: Readonly<Record<string, object>> = {
  'POST /users/track': { attributes: [profile], events: [signedUp], purchases: [ordered] },
  'POST /users/track/bulk': { attributes: [profile, { external_id: 'bob', plan: 'free' }], events: [signedUp] },
  'POST /users/track/sync': { attributes: [{ ...ada, plan: 'gold' }] },
  'POST /users/export/ids': { external_ids: ['ada'], fields_to_export },
  'POST /users/alias/new': { user_aliases: [{ ...ada, alias_label: 'shop', alias_name: 'customer-7' }] },
  'POST /users/alias/update': {
    alias_updates: [{ alias_label: 'shop', old_alias_name: 'customer-7', new_alias_name: 'customer-8' }],
  },
  'POST /users/external_ids/rename': {
    external_id_renames: [{ current_external_id: 'bob', new_external_id: 'robert' }],
  },
  'POST /users/external_ids/remove': { external_ids: ['bob'] },
  'POST /users/merge': {
    merge_updates: [{ identifier_to_merge: { external_id: 'robert' }, identifier_to_keep: { external_id: 'ada' } }],
  },
  'POST /users/identify': {
    aliases_to_identify: [{ ...ada, user_alias: { alias_label: 'shop_cookie', alias_name: 'c-42' } }],
    merge_behavior: 'merge',
  },
  'POST /users/delete': { external_ids: ['cleo'] },
  'POST /users/export/segment': { segment_id: 'gold', fields_to_export },
  'POST /users/export/global_control_group': { fields_to_export },

  'POST /messages/send': { external_user_ids: ['ada'], messages: { email: mail } },
  'POST /messages/schedule/create': { external_user_ids: ['ada'], schedule: later, messages: { email: mail } },
  'POST /messages/schedule/update': { schedule_id, schedule: { time: '2040-06-01T09:00:00', in_local_time: true } },
  'POST /messages/schedule/delete': { schedule_id },
  'POST /messages/scheduled_broadcasts': { end_time: '2040-12-31' },
  'POST /canvas/trigger/send': { canvas_id: 'welcome', recipients },
  'POST /canvas/trigger/schedule/create': { canvas_id: 'welcome', recipients, schedule: later },
  'POST /canvas/trigger/schedule/update': { canvas_id: 'welcome', schedule_id, schedule: later },
  'POST /canvas/trigger/schedule/delete': { canvas_id: 'welcome', schedule_id },
  'POST /canvas/duplicate': { canvas_id: 'welcome', name: 'Welcome in summer' },
  'POST /campaigns/trigger/send': { campaign_id: 'news', send_id: 'spring', recipients },
  'POST /campaigns/trigger/schedule/create': { campaign_id: 'news', recipients, schedule: later },
  'POST /campaigns/trigger/schedule/update': { campaign_id: 'news', schedule_id, schedule: later },
  'POST /campaigns/trigger/schedule/delete': { campaign_id: 'news', schedule_id },
  'POST /campaigns/duplicate': { campaign_id: 'news', name: 'News of summer', tag_names: ['summer'] },
  'POST /transactional/v1/campaigns/{campaign_id}/send': {
    external_send_id: 'order-1001',
    trigger_properties: { total: '99.50 EUR' },
    recipient: { external_user_id: 'ada' },
  },
  'POST /sends/id/create': { campaign_id: 'news', send_id: 'spring' },

  'POST /v2/subscription/status/set': {
    subscription_groups: [
      { subscription_group_id: 'newsletter', subscription_state: 'subscribed', external_ids: ['ada'] },
    ],
  },
  'POST /subscription/status/set': {
    subscription_group_id: 'newsletter',
    subscription_state: 'unsubscribed',
    external_id: ['ada'],
  },
  'POST /email/status': { email: 'ada@example.com', subscription_state: 'opted_in' },
  'POST /email/bounce/remove': { email: ['ada@example.com'] },
  'POST /email/spam/remove': { email: ['ada@example.com'] },
  'POST /email/blocklist': { email: ['eve@example.com'] },
  'POST /email/blacklist': { email: ['eve@example.com'] },
  'POST /sms/invalid_phone_numbers/remove': { phone_numbers: ['+4930123456'] },
  'POST /partners/{partner}/cohorts': { cohort_id: 'likely-buyers', name: 'Likely buyers' },
  'POST /partners/{partner}/cohorts/users': {
    cohort_id: 'likely-buyers',
    cohort_changes: [{ user_ids: ['ada'] }, { user_ids: ['dan'], should_remove: true }],
  },
  'POST /sdk/data': {
    identifier: ada,
    device: { device_id: 'browser-0001', model: 'Firefox', os: 'Linux' },
    app_id: 'shop',
    sessions: [{ started_at: time, ended_at: '2026-01-15T10:05:00Z' }],
  },
  'POST /custom_attributes/blocklist': { custom_attributes: ['shoe_size'], blocklisted: true },

  'POST /content_blocks/create': { name: 'greeting', content: 'Hello {{${first_name}}}', tags: ['letters'] },
  'POST /content_blocks/update': { content_block_id: 'footer', content: 'The Easel Shop' },
  'POST /templates/email/create': { template_name: 'Letter', subject: 'Hello', body: '<p>Hello</p>' },
  'POST /templates/email/update': { email_template_id: 'receipt', subject: 'Your receipt' },
  'POST /media_library/create': { name: 'logo.png', asset_file: 'iVBORw0KGgoAAA==' },
  'POST /preference_center/v1': center,
  'PUT /preference_center/v1/{preference_center_external_id}': { ...center, preference_center_title: 'Your mail' },
  'POST /segments/data_series': { segment_id: 'gold', length: 7 },
  'POST /catalogs': {
    catalogs: [
      {
        name: 'brushes',
        fields: [
          { name: 'id', type: 'string' },
          { name: 'price', type: 'number' },
        ],
      },
    ],
  },
  'POST /catalogs/{catalog_name}/fields': { fields: [{ name: 'weight', type: 'number' }] },
  'POST /catalogs/{catalog_name}/selections': {
    selection: { name: 'cheap', filters: [{ field: 'price', operator: 'less than', value: 50 }], results_limit: 10 },
  },
  'POST /catalogs/{catalog_name}/items/{item_id}': { items: [{ name: 'Studio easel', price: 99.5 }] },
  'PATCH /catalogs/{catalog_name}/items/{item_id}': { items: [{ price: 89.5 }] },
  'PUT /catalogs/{catalog_name}/items/{item_id}': { items: [{ name: 'Studio easel', price: 79.5 }] },
  'POST /catalogs/{catalog_name}/items': { items: [{ id: 'field-easel', name: 'Field easel', price: 49 }] },
  'PATCH /catalogs/{catalog_name}/items': { items: [{ id: 'field-easel', price: 45 }] },
  'PUT /catalogs/{catalog_name}/items': { items: [{ id: 'field-easel', name: 'Field easel', price: 44 }] },
  'DELETE /catalogs/{catalog_name}/items': { items: [{ id: 'field-easel' }] },
}
