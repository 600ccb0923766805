import { createHash, type KeyObject, sign } from 'node:crypto'

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

/**
 * Makes the header `DKIM-Signature` (RFC 6376, for Ed25519 RFC 8463) with relaxed canonicalization. `headers` are the folded lines as they
 * are sent, each name at most once. `content` is everything after the empty line and ends with CRLF.
 */
export function dkimSignature(
  headers: readonly string[],
  content: string,
  { domain, selector, key }: SigningKey,
): string {
  const isEd25519 = key.asymmetricKeyType === 'ed25519'
  const covered = headers.map(relaxedHeader).filter(({ name }) => signed.has(name))
  const bodyHash = createHash('sha256').update(relaxedContent(content), 'latin1').digest('base64')
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
    : sign('sha256', bytes, key)
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

function relaxedContent(content: string): string {
  const lines = content.replace(/[ \t]+(?=\r\n|$)/g, '').replace(/[ \t]+/g, ' ')
  let end = lines.length
  while (lines.endsWith('\r\n', end) && end > 0) end -= 2
  return end === 0 ? '' : `${lines.slice(0, end)}\r\n`
}

function folded(base64: string): string {
  return base64.replace(new RegExp(`.{${base64LineLength}}(?=.)`, 'g'), '$&\r\n  ')
}
