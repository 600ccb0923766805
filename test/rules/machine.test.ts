import assert from 'node:assert/strict'
import test from 'node:test'
import { type EngagedMessage, engagementKinds } from '../../src/messaging/feedback/engagement-store.ts'
import { type EngagementRequest, isMachine } from '../../src/messaging/feedback/machine-engagement.ts'
import {
  type EngagementRules,
  engagementRows,
  type ObservedEngagement,
} from '../../src/messaging/feedback/record-engagements.ts'

const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/604.1'
const request: EngagementRequest = {
  kind: 'opened',
  method: 'GET',
  agent: safari,
  purpose: undefined,
  ip: '198.51.100.7',
}

const readers: Readonly<Record<string, Partial<EngagementRequest>>> = {
  'a browser': {},
  'a phone whose maker is called so': {
    agent: 'Mozilla/5.0 (Linux; Android 9; CUBOT NOTE 20) Chrome/120 Mobile Safari/537.36',
  },
  'a mail program': { agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.3' },
  "Gmail's proxy, when a person opens the mail": {
    agent: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    ip: '66.249.84.1',
  },
  "Yahoo's proxy": { agent: 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html' },
  'an address beside the network of a scanner': { kind: 'clicked', ip: '18.0.0.1' },
  'a request without an address': { ip: '' },
  "a phone's mail program, which fetches pictures": { agent: 'Outlook-iOS/2.0' },
  'a mail program that says its name': { agent: 'Superhuman' },
}
for (const [who, seen] of Object.entries(readers)) {
  test(`${who} is a person`, () => assert.equal(isMachine({ ...request, ...seen }), false))
}

const machines: Readonly<Record<string, Partial<EngagementRequest>>> = {
  "Apple's privacy proxy": { agent: 'Mozilla/5.0' },
  "Gmail's prefetch": {
    agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
  },
  'a HEAD request': { method: 'HEAD' },
  'a nameless one': { agent: undefined },
  'an empty name': { agent: '' },
  'a browser that fetches in advance': { purpose: 'prefetch;prerender' },
  'a program that clicks and is no browser': { kind: 'clicked', agent: 'Superhuman' },
  'a program': { kind: 'clicked', agent: 'curl/8.0' },
  'a chat that shows a preview': { kind: 'clicked', agent: 'WhatsApp/2.23' },
  'a crawler': { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
  'a preview': { agent: 'Mozilla/5.0 AppleWebKit/537.36 BingPreview/1.0b' },
  'a headless browser': { agent: 'Mozilla/5.0 HeadlessChrome/130.0' },
  'a scanner': { agent: 'BarracudaCentral Link Scanner' },
  "Apple's network": { ip: '17.58.1.2' },
  'a scanner, as a mapped IPv6 address': { ip: '::ffff:17.58.1.2' },
  'a network of Exchange Online': { kind: 'clicked', ip: '40.107.22.1' },
  'Google, which checks links': { kind: 'clicked', ip: '66.249.84.1' },
}
for (const [who, seen] of Object.entries(machines)) {
  test(`${who} is a machine`, () => assert.equal(isMachine({ ...request, ...seen }), true))
}

const takenAt = Date.parse('2026-03-01T10:00:00Z')
const found: EngagedMessage = {
  ...{
    n: 1,
    bucket: 5,
    profile_id: '77',
    workspace_id: 1,
    channel: 'email',
    state: 'accepted',
    ended_at: new Date(takenAt),
    flow_id: null,
    variant: null,
    step: '',
    send_id: null,
  },
  ...{ email_open_tracking_disabled: false, email_click_tracking_disabled: false },
}
const named = { profile_id: '77', message_id: '9' }
const seen = (more: Partial<ObservedEngagement> = {}): ObservedEngagement => {
  const atMs = takenAt + 60_000
  return { target: named, kind: 'clicked', link: 0, isMachine: false, firstMs: atMs, lastMs: atMs, count: 1, ...more }
}
const kinds = (
  noted: Partial<ObservedEngagement>,
  message: Partial<EngagedMessage> = {},
  parts: Partial<EngagementRules> = {},
) => engagementRows([seen(noted)], [{ ...found, ...message }], { promptMs: 1000, ...parts }).map(({ kind }) => kind)

test('a click within a second after the server accepted the mail is by a machine, unless the clock is virtual', () => {
  for (const [ms, kind] of [
    [-50, 'machine_clicked'],
    [0, 'machine_clicked'],
    [999, 'machine_clicked'],
    [1000, 'clicked'],
    [1001, 'clicked'],
  ] as const) {
    assert.deepEqual(kinds({ firstMs: takenAt + ms }), [kind], `${ms} ms`)
    assert.deepEqual(kinds({ firstMs: takenAt + ms }, {}, { promptMs: 0 }), ['clicked'])
  }
  assert.deepEqual(kinds({}, { state: 'handed_over', ended_at: null }), ['machine_clicked'])
  assert.deepEqual(kinds({ firstMs: takenAt }, { state: 'uncertain' }), ['clicked'])
  assert.deepEqual(kinds({ firstMs: takenAt, kind: 'unsubscribed' }), ['unsubscribed'])
})

test('engagements are not recorded where a person or workspace turns tracking off, except unsubscribes', () => {
  const off = { email_click_tracking_disabled: true, email_open_tracking_disabled: true }
  assert.deepEqual(kinds({}, { email_click_tracking_disabled: true }), [])
  assert.deepEqual(kinds({}, { email_open_tracking_disabled: true }), ['clicked'])
  assert.deepEqual(kinds({ kind: 'opened' }, { email_open_tracking_disabled: true }), [])
  assert.deepEqual(kinds({ kind: 'opened', isMachine: true }, off), [])
  assert.deepEqual(kinds({ kind: 'unsubscribed' }, off), ['unsubscribed'])
  const tracks: EngagementRules['tracks'] = (_, kind) => kind === 'opened'
  assert.deepEqual(kinds({}, {}, { tracks }), [])
  assert.deepEqual(kinds({ kind: 'opened' }, {}, { tracks }), ['opened'])
})

test('repeated engagements of a person become one row, whichever of the merged messages they belong to', () => {
  const twice = [
    seen({ count: 2 }),
    seen({ firstMs: takenAt + 5_000, lastMs: takenAt + 90_000, count: 3 }),
    seen({ link: 4 }),
  ]
  const rows = engagementRows(twice, [{ ...found, n: 2 }, found, { ...found, n: 3 }], { promptMs: 1000 })
  assert.deepEqual(
    rows.map(({ link, count, firstMs, lastMs }) => ({
      link,
      count,
      firstMs: firstMs - takenAt,
      lastMs: lastMs - takenAt,
    })),
    [
      { link: 0, count: 5, firstMs: 5_000, lastMs: 90_000 },
      { link: 4, count: 1, firstMs: 60_000, lastMs: 60_000 },
    ],
  )
  assert.ok(rows.every(({ kind }) => engagementKinds.includes(kind)))
})
