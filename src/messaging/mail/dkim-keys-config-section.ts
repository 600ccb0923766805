import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Static } from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import type { ConfigSection, EntryResolution, GivenEntry } from '../../workspace/file/config-section.ts'
import { type DkimKey, DkimKeyShape, dkimKeysMax, privateKeyText } from './secret-schema.ts'
import { deleteDkimKey, findDkimKeyOf, insertDkimKeys, listDkimKeys, updateDkimKeys } from './secret-store.ts'

const rsaBits = { min: 1024, max: 4096 }
/** The size of keys that are made here: the largest whose DNS record every receiver reads. */
const madeRsaBits = 2048
const makeKeyPair = promisify(generateKeyPair)

/** An entry of the section. A new one without a private key gets one when it is stored. */
type DkimKeyEntry = Omit<DkimKey, 'private_key'> & Partial<Pick<DkimKey, 'private_key'>>

/** The section `dkim_keys`: the keys that sign mail. A private key is never returned, but the DNS record for it is. */
export const dkimKeysSection: ConfigSection<DkimKeyEntry> = {
  name: 'dkim_keys',
  path: 'dkim_keys',
  one: 'dkim_key',
  shape: DkimKeyShape,
  countMax: dkimKeysMax,
  counts: () => true,
  list: listDkimKeys,
  resolve: resolveKey,
  toReply: ({ private_key, ...key }) => ({
    ...key,
    ...(private_key !== undefined && { dns: dkimRecord({ ...key, private_key }) }),
  }),
  secret: {
    member: 'private_key',
    note: 'is not in this file; another installation makes a new key, with a new DNS record',
  },
  async insert(tx, workspace_id, keys, at) {
    await insertDkimKeys(tx, workspace_id, await withPrivateKeys(keys), at)
    return []
  },
  // Only a new entry can be without a private key.
  update: (tx, workspace_id, keys, at) => updateDkimKeys(tx, workspace_id, keys as readonly DkimKey[], at),
  notesOnCreate: ({ private_key }) =>
    private_key === undefined ? ['a key is made; publish its DNS record, which Settings, Mail domains shows'] : [],
  endSummary: 'Delete a DKIM key. Mail from its domain is not signed any more.',
  end: deleteDkimKey,
}

/** Makes a private key for entries without one. They share it: making an RSA key takes long, and a file may have many entries. */
async function withPrivateKeys(keys: readonly DkimKeyEntry[]): Promise<DkimKey[]> {
  if (keys.every(({ private_key }) => private_key !== undefined)) return keys as DkimKey[]
  const { privateKey } = await makeKeyPair('rsa', {
    modulusLength: madeRsaBits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return keys.map((key) => ({ ...key, private_key: key.private_key ?? privateKey }))
}

/** Finds the key for mail from a domain (ASCII, lower case): its own, otherwise the key of the nearest parent domain. */
export function findDkimKey(tx: Tx, workspace_id: number, domain: string): Promise<DkimKey | undefined> {
  const labels = domain.split('.')
  const domains = labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
  return findDkimKeyOf(tx, workspace_id, domains)
}

function resolveKey(
  given: GivenEntry & { readonly id: string },
  before: DkimKeyEntry | undefined,
): EntryResolution<DkimKeyEntry> {
  const { name, selector, private_key } = given as unknown as Static<typeof DkimKeyShape>
  if (private_key === undefined) return { entry: { ...before, id: given.id, name, selector } }
  const key = readKey(private_key)
  if (key === undefined) return { mistake: { path: 'private_key', message: `must be ${privateKeyText}` } }
  return {
    entry: { id: given.id, name, selector, private_key: key.export({ type: 'pkcs8', format: 'pem' }) as string },
  }
}

/** Reads a private key. Returns undefined if it is invalid, has a passphrase, or is not of a supported kind and size. */
function readKey(pem: string): KeyObject | undefined {
  const key = parseKey(pem)
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0
  const isStrong = key?.asymmetricKeyType === 'rsa' && bits >= rsaBits.min && bits <= rsaBits.max
  return isStrong || key?.asymmetricKeyType === 'ed25519' ? key : undefined
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    // The runtime throws when a text is not a private key.
    return undefined
  }
}

/** Returns the TXT record that receivers need to check signatures (RFC 6376, 3.6.1; RFC 8463). */
export function dkimRecord({ name, selector, private_key }: DkimKey): { name: string; type: 'TXT'; value: string } {
  const key = createPublicKey(private_key)
  const bytes = key.export({ type: 'spki', format: 'der' })
  const isRsa = key.asymmetricKeyType === 'rsa'
  // The record of an Ed25519 key has only the 32 bytes of the key.
  const published = isRsa ? bytes : bytes.subarray(-32)
  const value = `v=DKIM1; k=${isRsa ? 'rsa' : 'ed25519'}; p=${published.toString('base64')}`
  return { name: `${selector}._domainkey.${name}`, type: 'TXT', value }
}
