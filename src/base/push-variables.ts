import { createECDH } from 'node:crypto'
import { url, withoutSlash } from './config-values.ts'
import { readServiceAccount } from './service-account.ts'
import { optional } from './variable.ts'

const contactText = 'mailto:name@example.com or https://host'
const keyText = '32 bytes in base64url, as npx web-push generate-vapid-keys prints them'

function contact(given: string): string | undefined {
  if (/^mailto:[^\s<>"@]+@[^\s<>"@]+$/.test(given)) return given
  return url(given, ['https:'])?.username === '' ? given : undefined
}

/** Reads a private key of P-256. */
function privateKey(given: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(given)) return undefined
  try {
    createECDH('prime256v1').setPrivateKey(Buffer.from(given, 'base64url'))
    return given
  } catch {
    // Zero, and numbers beyond the order of the curve, are no keys.
    return undefined
  }
}

function base(given: string): string | undefined {
  const parsed = url(given, ['http:', 'https:'])
  return parsed?.search === '' && parsed.username === '' ? withoutSlash(given) : undefined
}

/** The variables of pushes to browsers, Apple devices and Android devices. */
export const pushVariables = {
  webPushContact: optional({
    name: 'WEB_PUSH_CONTACT',
    unset: 'pushes to browsers go to the inbox, which GET /admin/inbox lists',
    meaning: 'How the operators of push services of browsers reach you.',
    accepts: contactText,
    read: contact,
  }),
  webPushPrivateKey: optional({
    name: 'WEB_PUSH_PRIVATE_KEY',
    unset: 'pushes to browsers go to the inbox, which GET /admin/inbox lists',
    meaning: 'The private VAPID key that signs pushes to browsers. Browsers that subscribed with another one get none.',
    accepts: keyText,
    secret: true,
    read: privateKey,
  }),
  fcmServiceAccount: optional({
    name: 'FCM_SERVICE_ACCOUNT_FILE',
    unset: 'pushes to Apple and Android devices go to the inbox, which GET /admin/inbox lists',
    meaning: 'The JSON file of the service account that sends by Firebase Cloud Messaging.',
    accepts: 'a file with project_id, client_email, private_key and token_uri',
    read: readServiceAccount,
  }),
  fcmUrl: optional({
    name: 'FCM_URL',
    unset: 'https://fcm.googleapis.com',
    meaning: 'The HTTP v1 interface of Firebase Cloud Messaging, for a proxy or a test.',
    accepts: 'http://host or https://host, with or without a port and a path',
    read: base,
  }),
}

type Given = { readonly webPushContact: string | undefined; readonly webPushPrivateKey: string | undefined }

/** Returns why the variables contradict each other: both of Web Push are needed for one. */
export function pushContradiction({ webPushContact: contact, webPushPrivateKey: key }: Given): string | undefined {
  if ((contact === undefined) === (key === undefined)) return undefined
  const [missing, other] = [pushVariables.webPushContact, pushVariables.webPushPrivateKey]
  const { name, accepts } = contact === undefined ? missing : other
  const given = contact === undefined ? other.name : missing.name
  return `${name}: no value was given, but ${given} was; accepted is ${accepts}`
}
