// @ts-check
// Tests a canvas of four days in a second: a welcome, and three days later a reminder for people who have not ordered.
// The server runs with EASEL_CLOCK=virtual. Run: EASEL_API_KEY=... EASEL_ADMIN_TOKEN=... node examples/journey-with-virtual-clock.mjs
const url = process.env.EASEL_URL ?? 'http://127.0.0.1:8080'
const { EASEL_API_KEY: key, EASEL_ADMIN_TOKEN: adminToken } = process.env

/**
 * @param {string} path
 * @param {object} [body]
 */
async function call(path, body) {
  const token = path.startsWith('/admin/') ? adminToken : key
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(url + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
  const answer = /** @type {any} */ (await response.json())
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${answer.message}`)
  return answer
}

/** @param {string} subject */
const mail = (subject) => ({ app_id: 'shop', from: 'The Easel <hello@example.com>', subject, body: '<p>Hello.</p>' })
await call('/admin/apply', {
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

const { now: start } = await call('/admin/clock')
const people = ['Ada', 'Bob'].map((first_name) => ({ external_id: first_name.toLowerCase(), first_name }))
await call('/users/track', {
  attributes: people.map((person) => ({ ...person, email: `${person.external_id}@example.com` })),
  events: people.map(({ external_id }) => ({ external_id, name: 'signed_up', time: start })),
})
// Everything that falls due on the way is done before the clock answers.
const { now: dayOne } = await call('/admin/clock', { advance: 'P1D' })
await call('/users/track', { events: [{ external_id: 'ada', name: 'ordered', time: dayOne }] })
await call('/admin/clock', { advance: 'P3D' })

const { messages } = await call(`/admin/inbox?since=${start}`)
/** @type {{at: string, to: string, subject: string}[]} */
const mails = messages
// Mails of the same instant are in no order of their own.
mails.sort((one, other) => `${one.at} ${one.to}`.localeCompare(`${other.at} ${other.to}`))
for (const { at, to, subject } of mails) {
  console.log(`day ${Math.floor((Date.parse(at) - Date.parse(start)) / 86_400_000)}  ${to}  ${subject}`)
}
for (const { external_id } of people) {
  const { entries } = await call(`/admin/why?external_id=${external_id}&canvas_id=first-order`)
  console.log(`${external_id}: ${entries[0].ended}, ${entries[0].because}`)
}
