/** A parsed mailbox. `domain` and the domain in `address` are ASCII (punycode). `name` is empty if there is none. */
export type Mailbox = { readonly name: string; readonly address: string; readonly domain: string }

/** The length of a mailbox with its name. */
export const mailboxCharactersMax = 998
const localCharactersMax = 64
const domainCharactersMax = 253

const controls = /\p{Cc}/u
const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const named = new RegExp(`^(?:${label}\\.)+(?=[a-z0-9-]*[a-z])${label}$`)
const quotedName = /^"((?:[^"\\]|\\.)*)"$/u

/**
 * Parses one mailbox: `Display Name <address>`, or an address alone. Returns undefined if the text is not a mailbox. A name without quotes
 * must not contain `@`, which would look like a second mailbox. Local parts are ASCII and never quoted; domains have a dot.
 */
export function readMailbox(text: string): Mailbox | undefined {
  if (text.length > mailboxCharactersMax || controls.test(text) || !text.isWellFormed()) return undefined
  const trimmed = text.trim()
  if (!trimmed.endsWith('>')) return mailboxOf('', trimmed)
  const from = trimmed.lastIndexOf('<')
  const name = nameOf(trimmed.slice(0, Math.max(from, 0)).trim())
  return from === -1 || name === undefined ? undefined : mailboxOf(name, trimmed.slice(from + 1, -1).trim())
}

function nameOf(text: string): string | undefined {
  const quoted = quotedName.exec(text)?.[1]
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/gu, '$1').trim()
  return /[<>"@]/.test(text) ? undefined : text
}

function mailboxOf(name: string, address: string): Mailbox | undefined {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  if (local.length > localCharactersMax || !atoms.test(local)) return undefined
  const domain = asciiDomain(address.slice(at + 1))
  return domain === undefined ? undefined : { name, address: `${local}@${domain}`, domain }
}

/** Returns a domain in ASCII and lower case, or undefined if the text is not a domain, for example an IP address. */
export function asciiDomain(text: string): string | undefined {
  // The URL parser below would also accept a port, a path or percent signs.
  if (!/^[\p{L}\p{N}\p{M}.-]+$/u.test(text)) return undefined
  const domain = URL.parse(`http://${text}`)?.hostname
  return domain !== undefined && domain.length <= domainCharactersMax && named.test(domain) ? domain : undefined
}
