/** Mail programs fill up shorter preheaders with the text that follows, and cut longer ones (specification 2.9). */
const preheaderCharacters = { from: 50, to: 100 }
/** Some mail services show only the beginning of a larger body. */
const clippedBytes = 102_400

export function preheaderWarnings(name: string, preheader: string): string[] {
  const { length } = [...preheader]
  const { from, to } = preheaderCharacters
  return length < from || length > to ? [`${name} has ${length} characters: ${from} to ${to} are recommended`] : []
}

export function clippedWarnings(name: string, body: string): string[] {
  if (Buffer.byteLength(body) <= clippedBytes) return []
  return [`${name} is longer than ${clippedBytes} bytes: some mail services show only the beginning`]
}
