import { generateKeyPairSync } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { createTransport } from 'nodemailer'
import { composeMail, type MailOptions } from '../src/messaging/mail/compose-mail.ts'
import type { SigningKey } from '../src/messaging/mail/dkim.ts'
import { loadMailLibraries, type MailLibraries } from '../src/messaging/mail/mail-libraries.ts'
import { type LinkSettings, messageLinks } from '../src/messaging/mail/message-links.ts'
import { alternativePart, textPart } from '../src/messaging/mail/mime.ts'
import { domain } from './mail-template.ts'
import { type Effort, median } from './measure.ts'
import type { Figure } from './report.ts'

const rounds = 5
const perRound = { quick: 200, full: 2_000 }
const rsaBits = 2048
const atMs = Date.UTC(2026, 10, 20, 9, 57)
const settings: LinkSettings = { secret: Buffer.alloc(32, 1), publicUrl: 'https://easel.example', bounceDomain: domain }
const links = messageLinks({ profile_id: '5', message_id: '77' }, settings)

/** Ten kilobytes of HTML and four of text, with letters that need encoding. */
const html = '<p style="margin:0">Grüße: a paragraph that is the same for everybody.</p>\n'.repeat(135)
const text = 'Grüße: a paragraph that is the same for everybody.\n'.repeat(80)
const subject = 'Grüße, a sale'

/**
 * Measures mails that are made from ready bodies, unsigned and signed with RSA, by the code of the product and by the mail library. It
 * shows why the product does not let the library compose.
 */
export async function benchCompose({ quick }: Effort): Promise<Figure[]> {
  const libraries = await loadMailLibraries()
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: rsaBits })
  const dkim: SigningKey = { domain, selector: 'bench', key }
  const count = quick ? perRound.quick : perRound.full
  const pem = key.export({ type: 'pkcs8', format: 'pem' }) as string
  const signing = { domainName: domain, keySelector: 'bench', privateKey: pem }
  return [
    await figure('compose, by the mail library', count, byLibrary()),
    await figure('compose', count, byProduct(libraries, {})),
    await figure('compose and sign, by the mail library', count, byLibrary(signing)),
    await figure('compose and sign', count, byProduct(libraries, { dkim })),
  ]
}

function byProduct(libraries: MailLibraries, { dkim }: Pick<MailOptions, 'dkim'>) {
  const from = { name: 'Shop', address: `news@${domain}`, domain }
  const options: MailOptions = { links, isMarketing: true, atMs, ...(dkim && { dkim }) }
  return async (i: number) => {
    const parts = [textPart('text/plain', text, libraries), textPart('text/html', html, libraries)]
    const { headers, content } = alternativePart(parts, `${links.boundary}a`)
    const bodies = { headers, content: Buffer.from(content, 'latin1'), links: [], warnings: [] }
    const email = { from, to: `u${i}@example.com`, subject, headers: [], files: [] }
    return (await composeMail(email, bodies, options, libraries)).raw
  }
}

function byLibrary(dkim?: { domainName: string; keySelector: string; privateKey: string }) {
  const transport = createTransport({ streamTransport: true, newline: 'windows', ...(dkim && { dkim }) })
  const headers = {
    'List-Unsubscribe': `<${links.unsubscribe}>, <mailto:${links.unsubscribeAddress}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  return async (i: number) => {
    const mail = { from: `Shop <news@${domain}>`, to: `u${i}@example.com`, subject, html, text, headers }
    const { message } = await transport.sendMail({ ...mail, date: new Date(atMs), messageId: links.messageId(domain) })
    return buffer(message as NodeJS.ReadableStream as AsyncIterable<Buffer>)
  }
}

/** Returns the median of several rounds, after a warm-up round. */
async function figure(what: string, count: number, make: (i: number) => Promise<Buffer>): Promise<Figure> {
  const rates: number[] = []
  const costsUs: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const startMs = performance.now()
    const startCpu = process.cpuUsage()
    for (let i = 0; i < count; i++) {
      if ((await make(i)).length < html.length) throw new Error('a mail of the benchmark is too short')
    }
    const { user, system } = process.cpuUsage(startCpu)
    if (round === 0) continue
    rates.push((count * 1000) / (performance.now() - startMs))
    costsUs.push((user + system) / count)
  }
  return { what, database: 'none', value: median(rates), unit: 'mails/s', nodeUs: median(costsUs) }
}
