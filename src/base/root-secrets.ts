import { readFileSync } from 'node:fs'
import { type Config, ConfigError, variables } from './config.ts'
import { readRootSecrets } from './config-values.ts'
import { decrypt, encrypt } from './encrypt.ts'
import { sha256 } from './ids.ts'

const keyIdChars = 12

/**
 * The root secrets that this process was given, by key id. Several services in one process, as in tests, may share them: a key id names one
 * secret, and a secret opens nothing but what was encrypted with it.
 */
const rootSecrets = new Map<string, string>()

/** A sealing key as it is stored. */
export type WrappedKey = { readonly key_id: string; readonly wrapped: Buffer }

/**
 * Reads the root secrets of EASEL_SECRET or EASEL_SECRET_FILE, the current one first, and keeps them for `unwrapKey`. Returns none when
 * neither is given. Throws ConfigError.
 */
export function loadRootSecrets(config: Pick<Config, 'rootSecrets' | 'rootSecretFile'>): readonly string[] {
  const secrets =
    config.rootSecrets ?? (config.rootSecretFile === undefined ? [] : readSecretFile(config.rootSecretFile))
  for (const secret of secrets) rootSecrets.set(keyIdOf(secret), secret)
  return secrets
}

function readSecretFile(path: string): readonly string[] {
  const { name } = variables.rootSecretFile
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `${name}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}), accepted is a file that this user may read`,
    )
  }
  const secrets = readRootSecrets(content)
  if (secrets) return secrets
  throw new ConfigError(`${name}: the content of ${path} was given, accepted is ${variables.rootSecrets.accepts}`)
}

/** Returns the id of a root secret. It reveals nothing of the secret. */
export function keyIdOf(secret: string): string {
  return sha256(`easel root secret ${secret}`).toString('hex').slice(0, keyIdChars)
}

/** Encrypts a sealing key with a root secret. */
export function wrapKey(key: Buffer, rootSecret: string): WrappedKey {
  const key_id = keyIdOf(rootSecret)
  return { key_id, wrapped: encrypt(key.toString('base64'), contextOf(key_id), Buffer.from(rootSecret)) }
}

/** Decrypts a sealing key. Throws ConfigError when its root secret was not given. */
export function unwrapKey({ key_id, wrapped }: WrappedKey): Buffer {
  const secret = rootSecrets.get(key_id)
  if (secret !== undefined) return Buffer.from(decrypt(wrapped, contextOf(key_id), Buffer.from(secret)), 'base64')
  throw missingSecret(key_id, [...rootSecrets.keys()])
}

/** Throws ConfigError unless the root secret with this key id is among those that were given to the service. */
export function requireRootSecret(key_id: string, given: readonly string[]): void {
  const ids = given.map(keyIdOf)
  if (!ids.includes(key_id)) throw missingSecret(key_id, ids)
}

function missingSecret(key_id: string, given: readonly string[]): ConfigError {
  const known = given.length === 0 ? 'no value was given' : `the key ids ${given.join(', ')} were given`
  return new ConfigError(`EASEL_SECRET: ${known}, the database needs the secret with the key id ${key_id}`)
}

function contextOf(key_id: string): string {
  return `sealing_key ${key_id}`
}
