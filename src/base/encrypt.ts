import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
/** Says how the rest is to be read, so that another way can come later. */
const version = 1

/**
 * Encrypts a text with the installation's secret (AES-256-GCM, the key by HKDF). `place` says where it is kept, such as table, workspace
 * and id: it opens nowhere else, so that nobody who can write rows makes one secret stand for another.
 */
export function encrypt(text: string, place: string, secret: Buffer): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, keyOf(secret), iv)
  cipher.setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), sealed])
}

/** The text that was sealed for this place. Throws when it was sealed elsewhere, by another installation, or was changed since. */
export function decrypt(sealed: Buffer, place: string, secret: Buffer): string {
  const textStart = 1 + ivBytes + tagBytes
  if (sealed[0] !== version || sealed.length < textStart) throw new Error(`what is sealed at ${place} cannot be read`)
  const decipher = createDecipheriv(algorithm, keyOf(secret), sealed.subarray(1, 1 + ivBytes))
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(1 + ivBytes, textStart))
  return decipher.update(sealed.subarray(textStart), undefined, 'utf8') + decipher.final('utf8')
}

function keyOf(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'easel seal', keyBytes))
}
