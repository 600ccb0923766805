import pg from 'pg'
import type { CopyTx, Tx } from './db.ts'

/** The part of pg's connection that a copy writes to. */
type Connection = { readonly stream: { write(bytes: Buffer): boolean; cork(): void; uncork(): void } }

/** Returns a transaction of `openDb` as what it is. A wrapper around one, as tests have it, does not copy. */
export function copyTx(tx: Tx): CopyTx {
  if ('copyIn' in tx) return tx as CopyTx
  throw new Error('this transaction does not copy')
}

/** COPY TO STDOUT. */
export class CopyOut extends pg.Query {
  readonly #pieces: Buffer[] = []

  constructor(text: string) {
    super({ text })
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // The parser uses its buffer again.
    this.#pieces.push(Buffer.from(chunk))
  }

  /** Returns what was sent. */
  data(): Buffer {
    return Buffer.concat(this.#pieces)
  }
}

/**
 * COPY FROM STDIN. The statement, the data and the end are one write: the embedded engine reads one message at a time and cannot wait for
 * more. A server that refuses the statement ignores the data.
 */
export class CopyIn extends pg.Query {
  override readonly submit: (connection: pg.Connection) => void

  constructor(text: string, data: Buffer) {
    super({ text })
    this.submit = (connection) => {
      const { stream } = connection as unknown as Connection
      stream.cork()
      try {
        pg.Query.prototype.submit.call(this, connection)
        stream.write(headerOf('d', data.length))
        stream.write(data)
        stream.write(headerOf('c', 0))
      } finally {
        stream.uncork()
      }
    }
  }

  /** The data was sent with the statement. */
  handleCopyInResponse(): void {}
}

/** Returns the head of a protocol message: `d` has data, `c` is the end. */
function headerOf(kind: 'd' | 'c', bodyBytes: number): Buffer {
  const header = Buffer.alloc(5)
  header.write(kind, 0, 'latin1')
  // The length counts itself.
  header.writeInt32BE(4 + bodyBytes, 1)
  return header
}
