import type { Body } from './body.ts'
import { bodyStartMax, type SentBody } from './observe.ts'

/** The beginning of the body of a request, for the observer. */
export class BodyStart {
  #start: Buffer | undefined
  #bytes = 0

  /** Keeps the beginning of a body. What is larger is copied, so that its buffer is not kept while the request is processed. */
  keep = (bytes: Buffer): void => {
    this.#bytes = bytes.length
    this.#start = bytes.length <= bodyStartMax ? bytes : Buffer.from(bytes.subarray(0, bodyStartMax))
  }

  withParsed({ body: parsed }: Body): { sent?: SentBody } {
    return this.#start ? { sent: { start: this.#start, bytes: this.#bytes, parsed } } : {}
  }
}
