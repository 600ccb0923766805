import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
/** The first byte is the version of the encryption, so that another one can be added. */
const version = 1

/**
 * Encrypts a text with the installation's secret (AES-256-GCM, the key by HKDF). `context` names where the text is stored, such as table,
 * workspace and id. Decryption needs the same context, so that write access to the table is not enough to replace one secret with another.
 */
export function encrypt(text: string, context: string, secret: Buffer): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, deriveKey(secret), iv)
  cipher.setAAD(Buffer.from(context))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), ciphertext])
}

/** Decrypts a text. Throws when the context or the installation is another one, or when the bytes were changed. */
export function decrypt(encrypted: Buffer, context: string, secret: Buffer): string {
  const textStart = 1 + ivBytes + tagBytes
  if (encrypted[0] !== version || encrypted.length < textStart)
    throw new Error(`the secret of ${context} cannot be read`)
  const decipher = createDecipheriv(algorithm, deriveKey(secret), encrypted.subarray(1, 1 + ivBytes))
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(encrypted.subarray(1 + ivBytes, textStart))
  return decipher.update(encrypted.subarray(textStart), undefined, 'utf8') + decipher.final('utf8')
}

function deriveKey(secret: Buffer): Buffer {
  // A constant of the stored format: another label would make every stored secret unreadable.
  return Buffer.from(hkdfSync('sha256', secret, '', 'easel seal', keyBytes))
}
