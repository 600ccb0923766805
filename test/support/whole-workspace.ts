/** A workspace file that has every section and every setting, with unusual members. `password` and `token` are its only secrets. */
export const password = 'a-password-that-no-file-has'
export const token = 'Bearer a-token-that-no-file-has'

export const settings = {
  time_zone: 'America/Argentina/Buenos_Aires',
  reserved_external_ids: ['test: yes', '0012', 'null', '- a'],
  reserved_ids_partial: true,
  attribute_blocklist: ['a b', '#c'],
  strict: true,
  local_email_domains: true,
  nested_nulls: 'store',
  rate_limits: { track: { per_hour: 500_000, burst_per_second: 1000 }, canvas_schedule: 'unlimited' },
  event_retention: 'P1Y6M',
  export_all_fields: true,
  regex_characters_max: 2000,
  from_name: 'Ünïcode “Shop”: #1',
  sms: { from: '+15550001111', per_second: 2.5, stop_reply: 'You are out: #1 “stop”', help_reply: '- help' },
  reply_to: 'hello@shop.example',
  bcc: ['archive@shop.example'],
  should_inline_css: true,
  departments: ['yes', 'marketing'],
  default_department: 'yes',
  ledger_retention: 'P90D',
  feed: true,
  feed_retention: 'P10D',
  extras_header: 'X-Other-Extras',
  attachments_max: 7,
  attachments_bytes_max: 1_000_000,
  track_opens: false,
  track_clicks: false,
  api_log: false,
  email_rates: { per_second: 0.5, domains: { 'gmail.com': 20 } },
  mail_delivery: 'inbox',
  quiet_hours: { start: '22:00', end: '08:00' },
  local_time_delay_max: 'PT6H',
  frequency_cap: [
    { count: 1, per: 'P1D' },
    { count: 3, per: 'P7D', channel: 'email' },
  ],
  global_control_group: { ranges: [{ from: 0, to: 499 }] },
  webhooks: { mailgun: { credential: 'files' } },
  transactional_status_url: 'https://status.example.com/hook',
  scim: { status: 'string', unknown_permissions: 'keep' },
}

const email = { app_id: 'web', from: 'Shop <hello@shop.example>', subject: 'Hi: {{${first_name}}}', body: '<p>Hi</p>' }
const longBody = `<p>${'A long line with words and  two spaces. '.repeat(20)}</p>\n\n  <pre>\ttab</pre>   \n# no comment\n`

const canvas = {
  id: 'cart',
  name: 'Abandoned cart',
  description: 'Line one\nline two: "quoted" \'too\'',
  tags: ['a: b', 'yes'],
  state: 'paused',
  class: 'marketing',
  recipient_subscription_state: 'opted_in',
  segment: { segment_id: 'gold' },
  entry: {
    event: { event: 'filled', properties: { total: { comparison: 'greater_than', value: 20.5 } } },
    again: { after: 'P7D' },
  },
  exit: {
    events: [{ purchase: 'any' }],
    audience: { custom_attribute: { custom_attribute_name: 'x', comparison: 'exists' } },
  },
  conversions: [{ name: 'Bought', on: { purchase: 'any' }, within: 'P3D' }],
  control_percent: 10,
  quiet_hours: 'skip',
  rate: '500/min',
  variants: [
    { name: 'A', percent: 50, first: 'wait' },
    { name: 'B', percent: 50, first: 'hook' },
  ],
  steps: [
    {
      id: 'wait',
      type: 'action_paths',
      within: 'PT4H',
      paths: [{ event: 'ordered', same: ['cart_id'] }],
      otherwise: 'morning',
    },
    { id: 'morning', type: 'delay', until: '09:00', weekdays: ['mon', 'fri'], next: 'remind' },
    { id: 'remind', type: 'message', message: { ...email, body: longBody, extras: { on: 'off' } }, next: 'update' },
    { id: 'update', type: 'update_user', attributes: { seen: { big: 12_345_678.25, list: [null, 'null', ''] } } },
    {
      id: 'hook',
      name: 'Tell them',
      type: 'webhook',
      url: 'https://crm.example/x',
      headers: { Authorization: token, 'X-A': 'b' },
      body: { a: [] },
    },
  ],
}

const campaign = {
  id: 'spring',
  name: 'Spring',
  state: 'archived',
  entry: { schedule: { at: '09:00', days: ['mon'], zone: 'local', from: '2030-01-01' } },
  control_percent: 5,
  messages: [
    { id: 'short', name: 'Short', percent: 50, email },
    { id: 'long', name: 'Long', percent: 50, email: { ...email, subject: 'Long' } },
  ],
}

export const wholeWorkspace = {
  workspace: { id: 'default', name: 'Shöp: main' },
  settings,
  apps: [
    { id: 'web', name: 'Web shop', platform: 'web' },
    { id: 'a1', name: 'Älpha', platform: 'ios' },
  ],
  api_keys: [
    {
      id: 'loader',
      name: 'Loader',
      permissions: ['users.track', 'users.export.ids'],
      allowed_ips: ['10.0.0.0/8'],
      strict: true,
    },
  ],
  subscription_groups: [
    {
      id: 'news',
      name: 'Newsletter',
      channel: 'email',
      double_opt_in: {
        enabled: true,
        from: 'Shöp <shop@example.com>',
        subject: 'Yes? {{${confirmation_group}}}',
        body: '<a href="{{${confirmation_url}}}">Yes</a>',
        valid_hours: 24,
        texts: { done_title: 'Danke' },
      },
    },
    { id: 'old', name: 'Old offers', channel: 'sms', archived: true },
  ],
  sign_up_forms: [
    {
      id: 'footer',
      name: 'Footer',
      subscription_group_id: 'news',
      state: 'paused',
      language: 'de',
      texts: { title: 'Brief: {group}', consent: 'Ja' },
      embed_origins: ['https://www.example.com'],
      min_seconds: 0,
    },
  ],
  catalogs: [
    {
      id: 'rest',
      name: 'restaurants',
      description: 'Where',
      fields: [
        { name: 'id', type: 'string' },
        { name: 'Rating', type: 'number' },
      ],
    },
  ],
  segments: [
    {
      id: 'poor',
      name: 'Not gold',
      audience: { NOT: { segment: { segment_id: 'gold' } } },
      tags: ['t'],
      analytics_tracking_enabled: false,
    },
    {
      id: 'gold',
      name: 'Gold',
      audience: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } },
    },
  ],
  content_blocks: [
    {
      id: 'footer',
      name: 'footer',
      content: '{% if true %}a{% endif %}\n',
      description: 'd',
      state: 'draft',
      tags: ['x'],
    },
  ],
  email_templates: [
    {
      id: 'welcome',
      name: 'Welcome',
      subject: 'Hi',
      preheader: 'Good',
      body: longBody,
      plaintext_body: ' a\n',
      should_inline_css: false,
      description: 'd',
      tags: ['x'],
    },
  ],
  credentials: [{ id: 'c1', name: 'files', user_name: 'easel', password, origins: ['https://files.shop.example'] }],
  dkim_keys: [{ id: 'd1', name: 'shop.example', selector: 'easel1' }],
  webhooks: [
    { id: 'crm', name: 'CRM', url: 'https://crm.shop.example/easel', event_types: ['person.deleted'], state: 'paused' },
  ],
  canvases: [canvas],
  campaigns: [campaign],
  teams: [{ id: 'de', name: 'Germany' }],
  roles: [{ id: 'editor', name: 'Editor', permissions: ['basic_access', 'edit_segments'] }],
  permission_sets: [{ id: 'care', name: 'Customer care', permissions: ['view_user_profile'] }],
}
