import type { Dispatcher } from 'undici'
import { FetchError } from './fetch-error.ts'
import type { Hop } from './hop.ts'

/** How long a server may take until its answer begins. */
const headersMs = 5000

/** An answer of any status. Header names are lower case. Cookies are omitted. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What is read of a body: up to `bytesMax`, of which the rest is cut off when it `cuts` and an error otherwise; undefined for nothing. */
export type BodyLimit = { readonly bytesMax: number; readonly cuts: boolean } | undefined

/** Decides by the head of an answer what is read of its body. Throws `FetchError`. */
export type ReadHead = (status: number, headers: Readonly<Record<string, string>>) => BodyLimit

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

/**
 * One request and its answer. It is a handler of the dispatcher rather than a request with a stream: a stream for each answer takes as
 * much time as the rest of the request.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #hop: Hop
  readonly #readHead: ReadHead
  readonly #settled = Promise.withResolvers<Answer>()
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  /** Why it ended before its answer did. */
  #left: Error | undefined
  #hasEnded = false
  #status = 0
  #headers: Readonly<Record<string, string>> = {}
  #limit: BodyLimit
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(hop: Hop, readHead: ReadHead) {
    this.#hop = hop
    this.#readHead = readHead
    const late = () => this.abort(new FetchError('timeout', `${hop.url.host} did not answer within ${headersMs} ms`))
    this.#timer = setTimeout(late, headersMs)
  }

  /** Sends the request. Rejects as soon as it is aborted, also while it waits for a connection. */
  send(dispatcher: Dispatcher): Promise<Answer> {
    const { url, method, headers, body } = this.#hop
    const { origin, pathname, search } = url
    try {
      dispatcher.dispatch(
        { origin, path: pathname + search, method, headers, ...(body !== undefined && { body }) },
        this,
      )
    } catch (error) {
      // It rejects the promise that is returned.
      this.abort(error as Error)
    }
    return this.#settled.promise
  }

  /** Ends it with an error, and closes its connection. Has no effect after its end. */
  abort(error: Error): void {
    if (!this.#end()) return
    this.#settled.reject(error)
    this.#leave(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#left) controller.abort(this.#left)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Another answer follows one of 1xx.
    if (status < 200 || this.#hasEnded) return
    clearTimeout(this.#timer)
    this.#status = status
    this.#headers = plainHeaders(headers)
    try {
      this.#limit = this.#readHead(status, this.#headers)
    } catch (error) {
      // It rejects the promise that `send` has returned.
      this.abort(error as Error)
    }
    if (this.#limit === undefined) this.#cut()
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded || this.#limit === undefined) return
    const { bytesMax, cuts } = this.#limit
    this.#bytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#bytes <= bytesMax) return
    if (cuts) this.#cut()
    else this.abort(answerTooLarge(this.#hop, bytesMax))
  }

  onResponseEnd(): void {
    if (this.#end()) this.#settle()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#end()) this.#settled.reject(error)
  }

  /** Ends it with what was read so far, and closes its connection. */
  #cut(): void {
    if (!this.#end()) return
    this.#settle()
    this.#leave(new FetchError('closed', 'The rest of the answer is not read'))
  }

  #settle(): void {
    const bytes = Math.min(this.#bytes, this.#limit?.bytesMax ?? 0)
    this.#settled.resolve({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks, bytes),
    })
  }

  /** Returns false when it has ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    clearTimeout(this.#timer)
    return true
  }

  #leave(error: Error): void {
    this.#left = error
    this.#controller?.abort(error)
  }
}

export function answerTooLarge({ url }: Hop, bytesMax: number): FetchError {
  return new FetchError('too_large', `${url.host} answered with more than ${bytesMax} bytes`)
}

function plainHeaders(headers: Headers): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    // Names of headers come from the server: one must not change the prototype.
    if (value === undefined || name === 'set-cookie' || name === '__proto__') continue
    plain[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return plain
}
