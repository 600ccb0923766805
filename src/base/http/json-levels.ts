/** Levels of arrays and objects in a large body. Names and values have far lower limits of their own, with an answer that names them. */
export const jsonLevelsMax = 200_000
/** A smaller body cannot have so many levels that parsing it delays others. */
export const scannedBytesMin = 262_144
/** A body with fewer opening brackets is not scanned: finding so many takes a tenth of the time, and most bodies have no more. */
export const countedBracketsMax = 20_000

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether a text of JSON has more than `jsonLevelsMax` levels. The parser of the engine takes over a tenth of a second for a million
 * levels, and cannot be interrupted. Small texts are not scanned. Of text that is not JSON, the result says nothing.
 */
export function hasTooManyLevels(bytes: Buffer): boolean {
  if (bytes.length < scannedBytesMin || hasFewBrackets(bytes)) return false
  let levels = 0
  let isInString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (isInString) {
      if (byte === backslash) i++
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === openBracket || byte === openBrace) {
      if (++levels > jsonLevelsMax) return true
    } else if (byte === closeBracket || byte === closeBrace) levels--
  }
  return false
}

function hasFewBrackets(bytes: Buffer): boolean {
  let count = 0
  for (const bracket of [openBracket, openBrace]) {
    for (let at = bytes.indexOf(bracket); at >= 0; at = bytes.indexOf(bracket, at + 1)) {
      if (++count > countedBracketsMax) return false
    }
  }
  return true
}
