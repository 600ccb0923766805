import { Readable, Transform } from 'node:stream'

/** What must not go out as it stands (RFC 5321, 4.5.2): a dot at the beginning of a line, and half a line end. */
const unsafe = /^\.|\n\.|\r(?!\n)|(?<!\r)\n/
const lineEnd = '\r\n'

/**
 * A mail's bytes for the library, which looks at each of them for what `unsafe` finds: a third of all it does. Mails that we have made
 * hold nothing of the kind, so they go past its search, and it adds nothing but the line end and the dot at the end.
 */
export class MailStream extends Readable {
  readonly #raw: Buffer

  constructor(raw: Buffer) {
    super()
    this.#raw = raw
  }

  override _read(): void {
    this.push(this.#raw)
    this.push(null)
  }

  override pipe<Target extends NodeJS.WritableStream>(target: Target): Target {
    if (!(target instanceof Transform) || !isSafe(this.#raw)) return super.pipe(target)
    // Whoever asks whether the server may have some of it is told so from here on.
    this.read()
    target.push(this.#raw.subarray(0, -lineEnd.length))
    target.end()
    return target
  }
}

/** Whether a server reads nothing else than what is written; the last line end is there. */
function isSafe(raw: Buffer): boolean {
  const text = raw.toString('latin1')
  return text.endsWith(lineEnd) && !unsafe.test(text)
}
