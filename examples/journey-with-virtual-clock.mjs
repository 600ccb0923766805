// @ts-check
// Tests a canvas of four days in a second: a welcome, and three days later a reminder for people who have not ordered.
// The server runs with EASEL_CLOCK=virtual.
// Run: EASEL_API_KEY=... EASEL_ADMIN_TOKEN=... npx --silent node examples/journey-with-virtual-clock.mjs
import { Easel } from '../client/src/client.ts'

const url = process.env.EASEL_URL ?? 'http://127.0.0.1:8080'
const shop = new Easel({ url, key: process.env.EASEL_API_KEY })
const admin = new Easel({ url, key: process.env.EASEL_ADMIN_TOKEN })

/** @param {string} subject */
const mail = (subject) => ({ app_id: 'shop', from: 'The Easel <hello@example.com>', subject, body: '<p>Hello.</p>' })
await admin.postAdminApply({
  apps: [{ id: 'shop', name: 'Shop', platform: 'web' }],
  canvases: [
    {
      id: 'first-order',
      name: 'First order',
      state: 'active',
      entry: { event: 'signed_up', again: 'always' },
      exit: { events: ['ordered'] },
      first: 'welcome',
      steps: [
        { id: 'welcome', type: 'message', message: mail('Welcome, {{${first_name}}}'), next: 'wait' },
        { id: 'wait', type: 'delay', for: 'P3D', next: 'reminder' },
        { id: 'reminder', type: 'message', message: mail('Your easel waits, {{${first_name}}}') },
      ],
    },
  ],
})

const { now: start } = await admin.getAdminClock()
const people = ['Ada', 'Bob'].map((first_name) => ({ external_id: first_name.toLowerCase(), first_name }))
await shop.postUsersTrack({
  attributes: people.map((person) => ({ ...person, email: `${person.external_id}@example.com` })),
  events: people.map(({ external_id }) => ({ external_id, name: 'signed_up', time: start })),
})
// Everything that falls due on the way is done before the clock answers.
const { now: dayOne } = await admin.postAdminClock({ advance: 'P1D' })
await shop.postUsersTrack({ events: [{ external_id: 'ada', name: 'ordered', time: dayOne }] })
await admin.postAdminClock({ advance: 'P3D' })

const { messages: mails } = await admin.getAdminInbox({ since: start })
// Mails of the same instant are in no order of their own.
const inOrder = mails.toSorted((one, other) => `${one.at} ${one.to}`.localeCompare(`${other.at} ${other.to}`))
for (const { at, to, subject } of inOrder) {
  console.log(`day ${Math.floor((Date.parse(at) - Date.parse(start)) / 86_400_000)}  ${to}  ${subject}`)
}
for (const { external_id } of people) {
  const { entries: [latest] = [] } = await admin.getAdminWhy({ external_id, canvas_id: 'first-order' })
  console.log(`${external_id}: ${latest?.ended}, ${latest?.because}`)
}
