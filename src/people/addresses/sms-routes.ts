import { defineRoute, type Route } from '../../base/http/route.ts'
import type { HashAddress } from '../identity/person.ts'
import { listInvalidPhones, removeInvalidPhones } from './invalid-phones.ts'
import { InvalidPhonesQuery, InvalidPhonesReply, PhonesBody, PhonesReply } from './schema.ts'

/** Routes about phone numbers that get no text messages. */
export function smsRoutes(services: { readonly hashAddress: HashAddress }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/sms/invalid_phone_numbers',
      permission: 'sms.invalid_phone_numbers',
      errors: 'standard',
      summary: 'List phone numbers that a provider of text messages has refused for good',
      query: InvalidPhonesQuery,
      reply: { 200: InvalidPhonesReply },
      handle: async (call, { query }) => ({ ...(await listInvalidPhones(call, query, services)), message: 'success' }),
    }),
    defineRoute({
      method: 'POST',
      path: '/sms/invalid_phone_numbers/remove',
      permission: 'sms.invalid_phone_numbers.remove',
      errors: 'standard',
      summary: 'Remove phone numbers from the list of invalid ones',
      body: PhonesBody,
      reply: { 201: PhonesReply },
      handle: async (call, { body }) => {
        await removeInvalidPhones(call, body, services)
        return { message: 'success' }
      },
    }),
  ]
}
