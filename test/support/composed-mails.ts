import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AssembledEmail, composeMail, type MailOptions } from '../../src/messaging/mail/compose-mail.ts'
import { DecoratedBodies } from '../../src/messaging/mail/decorated-bodies.ts'
import {
  type BodyOptions,
  type EncodedBodies,
  encodeBodies,
  type MailBodies,
} from '../../src/messaging/mail/encode-bodies.ts'
import { loadMailLibraries } from '../../src/messaging/mail/mail-libraries.ts'
import { bodyLinksOf, messageLinks } from '../../src/messaging/mail/message-links.ts'
import type { Mail } from '../../src/messaging/mail/transport.ts'

export const secret = Buffer.alloc(32, 7)
export const publicUrl = 'https://mail.example.com'
export const named = { profile_id: '1152921504606846977', message_id: '1152921504606847001' }
export const linkParts = { secret, publicUrl, bounceDomain: 'bounce.example.com' }
export const cachedCharactersMax = 8_000_000

/** An email with its bodies. */
export type Letter = AssembledEmail & MailBodies & Pick<BodyOptions, 'inlineCss'>
export type Way = MailOptions & Pick<BodyOptions, 'tracking' | 'publicUrl'>
export type ComposedMail = Mail & Pick<EncodedBodies, 'links' | 'warnings'>

/** Returns a minimal mail with the given fields. */
export function letter(over: Partial<Letter> = {}): Letter {
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

export function way(over: Partial<Way> = {}): Way {
  return {
    links: messageLinks(named, linkParts),
    publicUrl,
    tracking: { opens: false, clicks: false },
    isMarketing: false,
    atMs: Date.UTC(2026, 2, 3, 10, 5, 7),
    ...over,
  }
}

/** Composes one mail without the cache of other mails. Returns the mail, or the reason of the refusal. */
export async function tryCompose(over: Partial<Letter>, wayOver: Partial<Way> = {}): Promise<ComposedMail | string> {
  const libraries = await loadMailLibraries()
  const shapes = new DecoratedBodies(cachedCharactersMax)
  const email = letter(over)
  const options = way(wayOver)
  const findLinks = (count: number) => bodyLinksOf(options.links, count)
  const bodies = await encodeBodies(email, { ...options, inlineCss: email.inlineCss }, findLinks, shapes, libraries)
  if ('tooComplex' in bodies) return bodies.tooComplex
  const { links, warnings } = bodies
  return { ...(await composeMail(email, bodies, options, libraries)), links, warnings }
}

export async function compose(over: Partial<Letter>, wayOver: Partial<Way> = {}): Promise<ComposedMail> {
  const mail = await tryCompose(over, wayOver)
  assert.ok(typeof mail !== 'string', JSON.stringify(mail))
  return mail
}

const sources = join(import.meta.dirname, '../golden/mail/sources')

/** Mail sources with styles, by name. A composed mail must look the same as its source. */
export const styled: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(sources).map((file) => [file.replace('.html', ''), readFileSync(join(sources, file), 'utf8')]),
)
