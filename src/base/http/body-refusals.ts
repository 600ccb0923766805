import { Failure } from '../errors.ts'

/** Refuses a body that is larger than `bytesMax`; `when` is the end of the sentence. */
export function tooLarge(bytesMax: number, when = ''): Failure {
  return new Failure('tooLarge', `The request body is larger than ${bytesMax} bytes${when}`)
}

/** Refuses a body because its owner has used its share of the memory for bodies. */
export function busy(): Failure {
  return new Failure('unavailable', 'The service is busy', { retryAfterS: 1, headers: { Connection: 'close' } })
}

export function late(text: string): Failure {
  return new Failure('timedOut', text)
}
