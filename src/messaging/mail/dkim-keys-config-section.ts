import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Static } from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import type { ConfigSection, EntryResolution, GivenEntry } from '../../workspace/file/config-section.ts'
import { type DkimKey, DkimKeyShape, dkimKeysMax, privateKeyText } from './secret-schema.ts'
import { deleteDkimKey, findDkimKeyOf, insertDkimKeys, listDkimKeys, updateDkimKeys } from './secret-store.ts'

const rsaBits = { min: 1024, max: 4096 }

/** The section `dkim_keys`: the keys that sign mail. A private key is never returned, but the DNS record for it is. */
export const dkimKeysSection: ConfigSection<DkimKey> = {
  name: 'dkim_keys',
  path: 'dkim_keys',
  one: 'dkim_key',
  shape: DkimKeyShape,
  countMax: dkimKeysMax,
  counts: () => true,
  list: listDkimKeys,
  resolve: resolveKey,
  toReply: ({ private_key, ...key }) => ({ ...key, dns: dnsRecord({ ...key, private_key }) }),
  async insert(tx, workspace_id, keys, at) {
    await insertDkimKeys(tx, workspace_id, keys, at)
    return []
  },
  update: updateDkimKeys,
  endSummary: 'Delete a DKIM key. Mail from its domain is not signed any more.',
  end: deleteDkimKey,
}

/** Finds the key for mail from a domain (ASCII, lower case): its own, otherwise the key of the nearest parent domain. */
export function findDkimKey(tx: Tx, workspace_id: number, domain: string): Promise<DkimKey | undefined> {
  const labels = domain.split('.')
  const domains = labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
  return findDkimKeyOf(tx, workspace_id, domains)
}

function resolveKey(
  given: GivenEntry & { readonly id: string },
  before: DkimKey | undefined,
): EntryResolution<DkimKey> {
  const { name, selector, private_key } = given as unknown as Static<typeof DkimKeyShape>
  if (private_key === undefined) {
    if (before) return { entry: { ...before, name, selector } }
    return { mistake: { path: 'private_key', message: `is missing; it must be ${privateKeyText}` } }
  }
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
function dnsRecord({ name, selector, private_key }: DkimKey): { name: string; type: 'TXT'; value: string } {
  const key = createPublicKey(private_key)
  const bytes = key.export({ type: 'spki', format: 'der' })
  const isRsa = key.asymmetricKeyType === 'rsa'
  // The record of an Ed25519 key has only the 32 bytes of the key.
  const published = isRsa ? bytes : bytes.subarray(-32)
  const value = `v=DKIM1; k=${isRsa ? 'rsa' : 'ed25519'}; p=${published.toString('base64')}`
  return { name: `${selector}._domainkey.${name}`, type: 'TXT', value }
}
