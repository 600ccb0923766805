import type { Sql } from '../../../src/base/db/sql.ts'
import { sql } from '../../../src/base/db/sql.ts'
import { invalid } from '../../../src/base/errors.ts'
import type {
  Channel,
  ContentReader,
  MessageTransport,
  ReadDefinition,
} from '../../../src/messaging/channels/channel.ts'
import type { PreparedMessage } from '../../../src/messaging/messages/prepared-message.ts'
import type { TransportOutcome } from '../../../src/messaging/messages/transport-outcome.ts'

/** What a pager shows. */
export type Page = { readonly line: string; readonly message_variation_id?: string }
export type PreparedPage = PreparedMessage & { readonly number: string; readonly line: string }
type Row = { readonly phone: string | null; readonly home_city: string | null }

/** A page that the server of pagers has got. */
export type TakenPage = { readonly number: string; readonly line: string }

/** The server of pagers. It answers with the outcomes of `next`, the first for the next page, and takes everything without one. */
export class PagerServer {
  readonly taken: TakenPage[] = []
  readonly next: TransportOutcome[] = []

  transport(): MessageTransport<PreparedPage> {
    return {
      server: 'pager://tower.example',
      connections: 2,
      send: async ({ number, line }) => {
        const outcome = this.next.shift() ?? { kind: 'accepted', response: 'beep' }
        if (outcome.kind === 'accepted') this.taken.push({ number, line })
        return outcome
      },
      close: async () => {},
    }
  }
}

/** The longest line of a pager. */
export const lineMax = 20

function pageOf(given: unknown, path: string): Page {
  const { line, message_variation_id: id } = given as Partial<Page>
  if (typeof line !== 'string' || line === '') throw invalid(`${path}.line is required`)
  if (line.length > lineMax) throw invalid(`${path}.line must be at most ${lineMax} characters`)
  return { line, ...(typeof id === 'string' && { message_variation_id: id }) }
}

function define(given: unknown, path: string): ReadDefinition<Page> {
  const line = (given as Partial<Page> | undefined)?.line
  if (typeof line === 'string' && line.length <= lineMax) return { content: { line } }
  return { mistake: { path: `${path}.line`, message: `must be a text of at most ${lineMax} characters` } }
}

const content: ContentReader<Page> = {
  read: (given, path) => ({ content: pageOf(given, path), warnings: [], lost: [] }),
  check: async () => {},
  forDefinition: () => ({
    read: define,
    mistakes(given, path) {
      const read = define(given, path)
      return 'mistake' in read ? [read.mistake] : []
    },
  }),
  readStored: define,
  standIn: { line: '' },
  remaining: { kept: ['message_variation_id'], emptied: ['line'] },
  variationOf: ({ message_variation_id }) => message_variation_id,
  titleOf: ({ line }) => line,
  describe: ({ line }) => `Pages ${JSON.stringify(line)}.`,
  details: ({ line }) => ({ line }),
}

const columns: Sql = sql`p.phone, p.home_city`

/** Returns a made-up channel: pages to the phone numbers of people who do not live in Quietham. Without a server the inbox keeps them. */
export function pagerChannel(server?: PagerServer): Channel<Page, PreparedPage, Row> {
  return {
    name: 'pager',
    words: {
      one: 'page',
      many: 'pages',
      waiting: 'Pages wait',
      server: 'pager tower',
      sent: 'A page',
      preparing: 'its page, which is being prepared',
      refused: { hard: 'nobody has the pager', soft: 'the pager is full', policy: 'the tower refuses the page' },
    },
    look: 'text',
    destination: () => (server ? 'the tower' : undefined),
    content,
    consent: {
      columns,
      join: sql``,
      addressOf: ({ phone }) => phone,
      trackingOf: () => ({ opens: false, clicks: false }),
      mayWait: () => false,
      check({ phone, home_city }) {
        if (phone === null) return { reason: 'no_address', rule: 'a page needs a phone number', inputs: { phone } }
        if (home_city !== 'Quietham') return undefined
        return { reason: 'unsubscribed', rule: 'Quietham has no pagers', inputs: { home_city } }
      },
    },
    metrics: {
      failures: { name: 'easel_pager_failures_total', help: 'Pages that were not accepted.' },
      spared: { name: 'easel_pager_spared', help: '1 while pages wait.' },
    },
    counted: { counts: [{ measure: 'bounces' }] },
    rates: { name: 'pager', of: () => ({}) },
    domainOf: (address) => address.slice(0, 3),
    recordRefused: async () => {},
    keep: ({ line }, address) => [{ address, subject: line, source: Buffer.from(line) }],
    async show(source) {
      const text = source.toString()
      const parts = { from: null, headers: {}, html: null, attachments: [] }
      return { ...parts, text, details: { characters: text.length }, source: text }
    },
    open: () => ({
      prepare: async (batch) =>
        batch.map(({ address, content: { line } }) => {
          return { number: address, line, subject: line, links: [], warnings: [], bytes: line.length }
        }),
      bytesMax: 1_000,
      sizeOf: ({ line }) => ({ texts: line.length, files: 0 }),
      transport: server?.transport(),
      keepsAll: () => false,
    }),
  }
}
