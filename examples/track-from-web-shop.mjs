// @ts-check
// A visitor of a web shop looks at a product, signs up and orders. The shop's server sends each of these to Easel.
// Run: EASEL_API_KEY=... npx --silent node examples/track-from-web-shop.mjs
import { randomUUID } from 'node:crypto'
import { Easel } from '../client/src/client.ts'

const easel = new Easel({
  url: process.env.EASEL_URL ?? 'http://127.0.0.1:8080',
  key: process.env.EASEL_API_KEY,
})

const cookie = randomUUID()
const customer = `customer-${cookie.slice(0, 8)}`
const visitor = { user_alias: { alias_label: 'shop_cookie', alias_name: cookie } }
const now = () => new Date().toISOString()

/** @param {import('../client/src/client.ts').PostUsersTrackBody} body */
async function track(body) {
  const { errors = [] } = await easel.postUsersTrack(body)
  // One refused object leaves the others alone, so a successful answer may still have errors.
  for (const { input_array, index, type } of errors) console.error(`${input_array}[${index}]: ${type}`)
}

// The shop knows the visitor by a cookie only. _update_existing_only: false creates a person who has nothing but this alias.
await track({
  attributes: [{ ...visitor, _update_existing_only: false, first_page: '/easels' }],
  events: [{ ...visitor, _update_existing_only: false, name: 'product_viewed', time: now() }],
})
console.log('An unknown visitor looked at a product.')

// After the sign-up the shop knows who it is. What the cookie did becomes part of the customer's profile.
await easel.postUsersIdentify({ aliases_to_identify: [{ external_id: customer, ...visitor }] })
await track({
  attributes: [{ external_id: customer, first_name: 'Ada', email: `${customer}@example.com` }],
})
console.log('The visitor signed up.')

// Numbers count from what is stored: {inc: 1} needs no reading before.
await track({
  attributes: [{ external_id: customer, orders: { inc: 1 } }],
  purchases: [
    { external_id: customer, product_id: 'studio-easel', currency: 'EUR', price: 99.5, quantity: 2, time: now() },
  ],
})
console.log('The customer ordered.')

const { users = [] } = await easel.postUsersExportIds({
  external_ids: [customer],
  fields_to_export: ['first_name', 'custom_attributes', 'custom_events', 'purchases'],
})
for (const { first_name, custom_attributes, custom_events = [], purchases = [] } of users) {
  console.log(`${first_name}: first page ${custom_attributes?.first_page}, orders ${custom_attributes?.orders}`)
  for (const { name, count } of [...custom_events, ...purchases]) console.log(`  ${name}: ${count}`)
}
