/** What a person wants who answers a text with one word. */
export type Keyword = 'stop' | 'start' | 'help'

const words: Readonly<Record<Keyword, readonly string[]>> = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'OPTOUT', 'REVOKE'],
  start: ['START', 'YES', 'UNSTOP', 'SUBSCRIBE'],
  help: ['HELP', 'INFO'],
}
const wordCharactersMax = 30

/**
 * Returns the word of a text: upper and lower case, accents, spaces and marks do not matter. Empty when the text is too long to be a word.
 * Pure.
 */
export function wordOf(text: string): string {
  if (text.length > wordCharactersMax) return ''
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
    .toUpperCase()
}

/** Returns what a text asks for; undefined when it is no such word. Pure. */
export function keywordOf(text: string): Keyword | undefined {
  const word = wordOf(text)
  return (Object.keys(words) as Keyword[]).find((keyword) => words[keyword].includes(word))
}

/** What is answered when the workspace has no texts of its own. */
export const defaultReplies: Readonly<Record<Keyword, string>> = {
  stop: 'You will get no more messages. Reply START to get them again.',
  start: 'You will get messages again. Reply STOP to get no more, HELP for help.',
  help: 'Reply STOP to get no more messages.',
}
