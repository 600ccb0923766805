/** What a person wants who answers a text with one word. */
export type Keyword = 'stop' | 'start' | 'help'

const words: Readonly<Record<Keyword, readonly string[]>> = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'OPTOUT', 'REVOKE'],
  start: ['START', 'YES', 'UNSTOP', 'SUBSCRIBE'],
  help: ['HELP', 'INFO'],
}
const wordCharactersMax = 30

/** Returns what a text asks for; undefined when it is no such word. Upper and lower case, spaces and a dot do not matter. Pure. */
export function keywordOf(text: string): Keyword | undefined {
  if (text.length > wordCharactersMax) return undefined
  const word = text
    .trim()
    .replace(/[.!]+$/, '')
    .replaceAll(/[\s-]/g, '')
    .toUpperCase()
  return (Object.keys(words) as Keyword[]).find((keyword) => words[keyword].includes(word))
}

/** What is answered when the workspace has no texts of its own. */
export const defaultReplies: Readonly<Record<Keyword, string>> = {
  stop: 'You will get no more messages. Reply START to get them again.',
  start: 'You will get messages again. Reply STOP to get no more, HELP for help.',
  help: 'Reply STOP to get no more messages.',
}
