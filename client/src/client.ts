import type { Answer } from './answer.ts'
import { EaselError } from './easel-error.ts'
import { Lists, Operations } from './operations.ts'
import { type KeyedOptions, openTransport, type SentRequest, type TransportOptions } from './transport.ts'

export { EaselError } from './easel-error.ts'
export type { CallOptions, KeyedOptions, Repeat, SentRequest, TransportOptions } from './transport.ts'
export type * from './types.ts'

/**
 * A client of one server with one key. Its methods are the operations of `/openapi.json`; they throw an EaselError for a refusal, and when
 * no answer comes.
 */
export class Easel extends Operations {
  /** The lists with pages, as async generators of their entries. */
  readonly each: Lists

  constructor(options: TransportOptions) {
    const transport = openTransport(options)
    const ask = async (request: SentRequest, call: KeyedOptions): Promise<Answer> => {
      const answer = await transport.send(request, call)
      if (answer.status >= 200 && answer.status < 300) return answer
      const { status, body, headers } = answer
      throw new EaselError({ ...request, status, body, requestId: headers.get('x-request-id') })
    }
    super(async <Reply>(request: SentRequest, call: KeyedOptions) => (await ask(request, call)).body as Reply)
    this.each = new Lists(ask)
  }
}
