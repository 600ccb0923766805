import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AssembledEmail,
  type ComposedMail,
  composeMail,
  type MailOptions,
} from '../../src/messaging/mail/compose-mail.ts'
import { DecoratedBodies } from '../../src/messaging/mail/decorated-bodies.ts'
import { loadMailLibraries } from '../../src/messaging/mail/mail-libraries.ts'
import { messageLinks } from '../../src/messaging/mail/message-links.ts'

export const secret = Buffer.alloc(32, 7)
export const publicUrl = 'https://mail.example.com'
export const named = { profile_id: '1152921504606846977', message_id: '1152921504606847001' }
export const linkParts = { secret, publicUrl, bounceDomain: 'bounce.example.com' }

/** Returns a minimal mail with the given fields. */
export function letter(over: Partial<AssembledEmail> = {}): AssembledEmail {
  return {
    from: { name: 'Shop', address: 'shop@example.com', domain: 'example.com' },
    to: 'ann@example.org',
    subject: 'Hello Ann',
    html: '<p>Hello Ann</p>',
    inlineCss: false,
    headers: [],
    files: [],
    ...over,
  }
}

export function way(over: Partial<MailOptions> = {}): MailOptions {
  return {
    links: messageLinks(named, linkParts),
    publicUrl,
    tracking: { opens: false, clicks: false },
    isMarketing: false,
    atMs: Date.UTC(2026, 2, 3, 10, 5, 7),
    ...over,
  }
}

/** Composes one mail without the cache of other mails. */
export async function compose(
  over: Partial<AssembledEmail>,
  wayOver: Partial<MailOptions> = {},
  shapes = new DecoratedBodies(),
): Promise<ComposedMail> {
  const mail = composeMail(letter(over), way(wayOver), shapes, await loadMailLibraries())
  assert.ok(!('tooComplex' in mail), JSON.stringify(mail))
  return mail
}

const sources = join(import.meta.dirname, '../golden/mail/sources')

/** Mail sources with styles, by name. A composed mail must look the same as its source. */
export const styled: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(sources).map((file) => [file.replace('.html', ''), readFileSync(join(sources, file), 'utf8')]),
)
