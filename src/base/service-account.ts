import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { url } from './config-values.ts'

/** What the file of a service account has, of which a bearer token is made. */
export type ServiceAccount = {
  readonly project_id: string
  readonly client_email: string
  /** An RSA key in PEM. */
  readonly private_key: string
  /** Where tokens are given. */
  readonly token_uri: string
}

const members = ['project_id', 'client_email', 'private_key', 'token_uri'] as const

/** Reads the JSON file of a service account. Returns undefined when it cannot be read or is no such file. */
export function readServiceAccount(path: string): ServiceAccount | undefined {
  try {
    const given = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>> | null
    const account = Object.fromEntries(members.map((name) => [name, given?.[name]]))
    if (!Object.values(account).every((value) => typeof value === 'string' && value !== '')) return undefined
    const { private_key, token_uri } = account as ServiceAccount
    if (createPrivateKey(private_key).asymmetricKeyType !== 'rsa') return undefined
    return url(token_uri, ['https:', 'http:']) && (account as ServiceAccount)
  } catch {
    // The start fails with what is accepted.
    return undefined
  }
}
