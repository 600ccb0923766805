import { createHmac } from 'node:crypto'
import { newSecretBytes } from '../../base/ids.ts'

const prefix = 'whsec_'
const keyBytesMin = 24
const keyBytesMax = 64
const newKeyBytes = 32

export const secretText = `${prefix} and ${keyBytesMin} to ${keyBytesMax} bytes in base64`

/** Returns a new secret in the format of Standard Webhooks. */
export function newSecret(): string {
  return prefix + newSecretBytes(newKeyBytes).toString('base64')
}

/** Whether a text is a secret in the format of Standard Webhooks. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false
  const key = Buffer.from(text.slice(prefix.length), 'base64')
  return key.toString('base64') === text.slice(prefix.length) && key.length >= keyBytesMin && key.length <= keyBytesMax
}

/** What a request is signed with: the current secret, and the one before while it is still valid. */
export type Secrets = readonly string[]

/**
 * Returns the headers that prove that Easel sent a body (Standard Webhooks 1.0). `secrets` has one or more, and each signs. `nowMs` is
 * machine time: receivers compare it with their clock.
 */
export function signatureHeaders(id: string, nowMs: number, body: string, secrets: Secrets): Record<string, string> {
  const timestamp = Math.floor(nowMs / 1000)
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
