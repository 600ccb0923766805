/** Texts that refuse one object of a track request, verbatim from the interface. The others are in `people/intake/schema.ts`. */
export const externalIdTooLong = "'external_id' must be fewer than 988 bytes"
export const badEmail = "The value provided for the 'email' field is not a valid email."
export const badEmailSubscribe = "'email_subscribe' must be 'subscribed', 'unsubscribed', or 'opted_in'"
export const badPushSubscribe = "'push_subscribe' must be 'subscribed', 'unsubscribed', or 'opted_in'"
export const badDeviceId =
  "token import with 'device_id' must have a device_id less than 255 bytes and at least 8 bytes"
export const reservedId = 'provided external_id is blacklisted and disallowed'

// Texts that refuse a request of any kind.
export const notAnObject = 'Each item must be an object'
export const bodyNotObject = 'The request body must be an object'
export const tooManyIds = 'The max number of ids per request was exceeded'

// The interface documents only these codes, not their texts.
export const badLocation = 'BAD_LOCATION_UPDATE'
export const badTokenApp = 'BAD_PUSH_TOKEN_APP_ID'
export const badTokenImport = 'BAD_PUSH_TOKEN_IMPORT'
export const badTokenText = 'BAD_PUSH_TOKEN_STRING'
export const badTokenList = 'BAD_PUSH_TOKEN_VALUE'
export const badGroupList = 'BAD_SUBSCRIPTION_GROUP_ARRAY'
export const badGroupItem = 'BAD_SUBSCRIPTION_GROUP_HASH'
export const badGroupId = 'BAD_SUBSCRIPTION_GROUP_ID'
export const badGroupState = 'BAD_SUBSCRIPTION_GROUP_STATE'
export const emailSubscriptionInfo = 'INVALID_ATTRIBUTE_EMAIL_SUBSCRIPTION_INFO'

const fieldCharactersMax = 255

/** Returns `'<field>' is not valid`. A client may have invented the field's name, so it is cut and cleaned. */
export function notValid(field: string): string {
  return `'${field.slice(0, fieldCharactersMax).toWellFormed().replaceAll('\u0000', '\ufffd')}' is not valid`
}

/** The texts that contain the name of the service's own identifier (`service_id`). */
export type IdentifierWords = {
  readonly serviceIdKey: string
  readonly onlyOne: string
  readonly required: string
}

const wordsByName = new Map<string, IdentifierWords>()

export function identifierWords(serviceName: string): IdentifierWords {
  const known = wordsByName.get(serviceName)
  if (known) return known
  const serviceIdKey = `${serviceName}_id`
  const words = {
    serviceIdKey,
    onlyOne: `You must specify only one of 'external_id', 'user_alias' or '${serviceIdKey}'`,
    required: `'external_id', '${serviceIdKey}', 'user_alias', 'email' or 'phone' is required`,
  }
  wordsByName.set(serviceName, words)
  return words
}
