import { defineRoute, type Route } from '../../base/http/route.ts'
import { listInvalidPhones, removeInvalidPhones } from './invalid-phones.ts'
import { InvalidPhonesQuery, InvalidPhonesReply, PhonesBody, PhonesReply } from './schema.ts'

export const smsRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/sms/invalid_phone_numbers',
    permission: 'sms.invalid_phone_numbers',
    errors: 'standard',
    summary: 'List phone numbers that are known to be invalid: none, because no text messages are sent from here',
    query: InvalidPhonesQuery,
    reply: { 200: InvalidPhonesReply },
    handle: async (_call, { query }) => ({ ...listInvalidPhones(query), message: 'success' }),
  }),
  defineRoute({
    method: 'POST',
    path: '/sms/invalid_phone_numbers/remove',
    permission: 'sms.invalid_phone_numbers.remove',
    errors: 'standard',
    summary: 'Remove phone numbers from the list of invalid ones',
    body: PhonesBody,
    reply: { 201: PhonesReply },
    handle: async (_call, { body }) => {
      removeInvalidPhones(body)
      return { message: 'success' }
    },
  }),
]
