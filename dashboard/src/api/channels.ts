// Written by npm run generate from src/messaging/channels.

/** The channels: one message, what takes it, and how it is shown. */
export const channels = [
  { name: 'email', one: 'mail', server: 'mail server', look: 'mail' },
  { name: 'sms', one: 'text message', server: 'provider of text messages', look: 'text' },
  { name: 'web_push', one: 'push to browsers', server: 'push service of browsers', look: 'notification' },
  { name: 'apple_push', one: 'push to Apple devices', server: 'push service of Apple devices', look: 'notification' },
  { name: 'android_push', one: 'push to Android devices', server: 'push service of Android devices', look: 'notification' },
  { name: 'webhook', one: 'webhook', server: 'receiver of webhooks', look: 'request' },
] as const
