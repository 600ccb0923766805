/** A comment, a text, a name in quotes or a text between dollars. None of them ends a command. */
const spans = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/g

/**
 * Splits a text into its commands, without the semicolons. For texts of our own: it knows no comment in a comment, and no backslash in a
 * text.
 */
export function splitCommands(text: string): string[] {
  const plain = text.replaceAll(spans, (span) => ' '.repeat(span.length))
  const commands: string[] = []
  let start = 0
  for (let end = plain.indexOf(';'); end >= 0; end = plain.indexOf(';', start)) {
    if (plain.slice(start, end).trim() !== '') commands.push(text.slice(start, end).trim())
    start = end + 1
  }
  if (plain.slice(start).trim() !== '') commands.push(text.slice(start).trim())
  return commands
}
