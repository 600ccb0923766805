import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** What the server has at a name: `TXT`, `MX` as `10 host`, or `A`. `silent` never answers, `broken` answers SERVFAIL. */
export type Zone = Map<string, Partial<Record<'TXT' | 'MX' | 'A', readonly string[]>> | 'silent' | 'broken'>

const types: Readonly<Record<number, 'TXT' | 'MX' | 'A'>> = { 1: 'A', 15: 'MX', 16: 'TXT' }
const [servfail, nxdomain] = [2, 3]

/** A DNS server on loopback. It records the names that it is asked for, and answers from a zone that a test changes. */
export async function startDns(zone: Zone) {
  const socket = createSocket('udp4')
  const asked = new Set<string>()
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query)
    asked.add(name)
    const found = zone.get(name)
    if (found === 'silent') return
    const kind = types[type]
    const values = kind === undefined || typeof found !== 'object' ? [] : (found[kind] ?? [])
    let code = 0
    if (found === 'broken') code = servfail
    else if (found === undefined) code = nxdomain
    socket.send(answerTo(query, end, kind, values, code), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(
  query: Buffer,
  end: number,
  kind: string | undefined,
  values: readonly string[],
  code: number,
): Buffer {
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(values.length, 6)
  return Buffer.concat([header, query.subarray(12, end), ...values.map((value) => recordOf(kind!, value))])
}

function recordOf(kind: string, value: string): Buffer {
  const data = contentOf(kind, value)
  const head = Buffer.alloc(12)
  // A pointer to the name of the question, type, class IN, 60 seconds, length.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE({ A: 1, MX: 15, TXT: 16 }[kind]!, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function contentOf(kind: string, value: string): Buffer {
  if (kind === 'A') return Buffer.from(value.split('.').map(Number))
  if (kind === 'TXT') {
    const pieces = value.match(/.{1,255}/gs) ?? ['']
    return Buffer.concat(pieces.map((piece) => Buffer.concat([Buffer.of(piece.length), Buffer.from(piece, 'latin1')])))
  }
  const [priority, host = ''] = value.split(' ')
  const labels = host.split('.').filter((label) => label !== '')
  const name = labels.map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]))
  return Buffer.concat([Buffer.from([0, Number(priority)]), ...name, Buffer.of(0)])
}
