import { createHash, type KeyObject, sign } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'

/** A key that signs for a domain and its subdomains. */
export type SigningKey = { readonly domain: string; readonly selector: string; readonly key: KeyObject }

/** The headers to sign: RFC 6376, 5.4.1, and both headers of RFC 8058, which are ignored unless they are signed. */
const signed: ReadonlySet<string> = new Set([
  ...['from', 'sender', 'reply-to', 'subject', 'date', 'message-id', 'to', 'cc', 'mime-version', 'content-type'],
  ...['content-transfer-encoding', 'in-reply-to', 'references', 'list-id', 'list-help', 'list-unsubscribe'],
  ...['list-unsubscribe-post', 'list-subscribe', 'list-post', 'list-owner', 'list-archive'],
])

/** Headers signed once more than they occur: a second one, which many programs would show, breaks the signature (RFC 6376, 8.15). */
const sealed: readonly string[] = ['from', 'to', 'cc', 'subject', 'date', 'reply-to']

const base64LineLength = 72

/** Signs in another thread. A signature with RSA takes as much CPU as sending the mail. */
const signAside = promisify(sign)

/** Bytes that are hashed in one turn of the process: a few milliseconds. */
const hashedBytesMax = 512 * 1024

/** Hashes everything after the empty line, in pieces, with relaxed canonicalization. Gives other work of the process a turn in between. */
export async function contentHash(pieces: readonly Buffer[]): Promise<string> {
  const hash = new RelaxedHash()
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += hashedBytesMax) {
      if (at > 0) await nextTurn()
      hash.update(piece.toString('latin1', at, at + hashedBytesMax))
    }
  }
  return hash.digest()
}

/**
 * Makes the header `DKIM-Signature` (RFC 6376, for Ed25519 RFC 8463) with relaxed canonicalization. `headers` are the folded lines as they
 * are sent, each name at most once. `bodyHash` is the hash of the content.
 */
export async function dkimSignature(
  headers: readonly string[],
  bodyHash: string,
  { domain, selector, key }: SigningKey,
): Promise<string> {
  const isEd25519 = key.asymmetricKeyType === 'ed25519'
  const covered = headers.map(relaxedHeader).filter(({ name }) => signed.has(name))
  const unsigned = [
    `DKIM-Signature: v=1; a=${isEd25519 ? 'ed25519' : 'rsa'}-sha256; c=relaxed/relaxed;`,
    ` d=${domain}; s=${selector};`,
    ` h=${[...covered.map(({ name }) => name), ...sealed].join(':\r\n  ')};`,
    ` bh=${bodyHash};`,
    ' b=',
  ].join('\r\n')
  const lines = [...covered.map(({ line }) => `${line}\r\n`), relaxedHeader(unsigned).line].join('')
  const bytes = Buffer.from(lines, 'utf8')
  const signature = isEd25519
    ? sign(null, createHash('sha256').update(bytes).digest(), key)
    : await signAside('sha256', bytes, key)
  return unsigned + folded(signature.toString('base64'))
}

function relaxedHeader(line: string): { name: string; line: string } {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon).trim().toLowerCase()
  const value = line
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '')
  return { name, line: `${name}:${value}` }
}

/** Hashes a text that comes in pieces. White space at the end of a piece is held back, because it does not count at the end of the text. */
class RelaxedHash {
  readonly #hash = createHash('sha256')
  #held = ''
  #isEmpty = true

  update(text: string): void {
    const all = this.#held + text
    let end = all.length
    while (end > 0 && ' \t\r\n'.includes(all[end - 1]!)) end--
    this.#held = all.slice(end)
    if (end === 0) return
    this.#isEmpty = false
    const lines = all
      .slice(0, end)
      .replace(/[ \t]+(?=\r\n)/g, '')
      .replace(/[ \t]+/g, ' ')
    this.#hash.update(lines, 'latin1')
  }

  digest(): string {
    if (!this.#isEmpty) this.#hash.update('\r\n')
    return this.#hash.digest('base64')
  }
}

function folded(base64: string): string {
  return base64.replace(new RegExp(`.{${base64LineLength}}(?=.)`, 'g'), '$&\r\n  ')
}
