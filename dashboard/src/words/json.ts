const part = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/gs

/** Puts each member of a JSON text on a line of its own. Digits stay as they are, and a text that is cut is kept up to its end. */
export function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  const lines: string[] = []
  let line = ''
  let depth = 0
  const begin = () => {
    lines.push(line)
    line = '  '.repeat(depth)
  }
  let before = ''
  for (const [found] of text.matchAll(part)) {
    const closes = found === '}' || found === ']'
    if (closes) depth = Math.max(depth - 1, 0)
    if (closes && before !== '{' && before !== '[') begin()
    else if (!closes && (before === '{' || before === '[')) begin()
    line += found === ':' ? ': ' : found
    if (found === '{' || found === '[') depth++
    if (found === ',') begin()
    before = found
  }
  lines.push(line)
  return lines.join('\n')
}
