import { parseToken, type TokenTarget, tokenLength } from '../../people/addresses/message-token.ts'

const token = `([0-9a-v]{${tokenLength}})`
const inMessageId = new RegExp(`(?:^|[<\\s])m\\.${token}@`, 'i')
const inReturnPath = new RegExp(`(?:^|[<\\s])b\\+${token}@`, 'i')
const alone = new RegExp(`^${token}$`, 'i')

/** Finds a valid message token in one of these texts: a Message-ID, a return path, or the token of a Message-ID alone. */
export function findMessageToken(texts: readonly unknown[], secret: Buffer): TokenTarget | undefined {
  for (const text of texts) {
    if (typeof text !== 'string') continue
    const [, message] = inMessageId.exec(text) ?? alone.exec(text.trim()) ?? []
    const [, path] = inReturnPath.exec(text) ?? []
    const target =
      (message && parseToken(message, 'message', secret)) || (path && parseToken(path, 'bounce', secret)) || undefined
    if (target) return target
  }
  return undefined
}
