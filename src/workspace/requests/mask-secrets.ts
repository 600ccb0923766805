/** What stands in place of a secret. */
export const masked = '***'

/** Names of members and parameters whose values are secrets. */
const secretName = new RegExp(
  'pass(?:word|phrase|wd)|secret|token|authori[sz]ation|cookie|csrf|credential|signature|private' +
    '|api[-_]?key|^(?:key|dsn|auth)$|[-_](?:key|auth)$',
  'i',
)
/** Names of objects in which every value may be a secret. */
const secretObject = /^(?:request_)?headers$/i
/** Tokens that Easel generates, wherever they stand. */
const easelToken = /easel_[a-z]+_[A-Za-z0-9_-]{8,}/g

const part = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[[\]{}:,]|[^\s"'[\]{}:,]+/gs

/** An object or a list that has begun. */
type Level = { readonly isList: boolean; readonly isMasked: boolean; name: string; isValue: boolean }

/**
 * Replaces the values of secret members in a text of JSON, which may be cut or malformed. Of an object or a list, all values are replaced.
 * Pure.
 */
export function maskSecrets(text: string): string {
  const levels: Level[] = []
  const replaced = text.replace(part, (found) => {
    const level = levels.at(-1)
    switch (found) {
      case '{':
      case '[':
        levels.push({ isList: found === '[', isMasked: masksObject(level), name: '', isValue: false })
        return found
      case '}':
      case ']':
        levels.pop()
        return found
      case ':':
      case ',':
        if (level) level.isValue = found === ':'
        return found
    }
    if (!level) return found
    if (!level.isList && !level.isValue) {
      level.name = found.replaceAll(/^["']|["']$/g, '')
      return found
    }
    return masksValue(level) && !/^(?:null|true|false)$/.test(found) ? `"${masked}"` : found
  })
  return replaced.replaceAll(easelToken, masked)
}

function masksValue(level: Level): boolean {
  return level.isMasked || (!level.isList && secretName.test(level.name))
}

function masksObject(level: Level | undefined): boolean {
  return level !== undefined && (masksValue(level) || (!level.isList && secretObject.test(level.name)))
}

/** Replaces the values of secret parameters in a URL. Pure. */
export function maskUrl(url: string): string {
  return url
    .replaceAll(/([?&])([^=&#]+)=([^&#]*)/g, (found, before: string, name: string) =>
      secretName.test(name) ? `${before}${name}=${masked}` : found,
    )
    .replaceAll(easelToken, masked)
}
