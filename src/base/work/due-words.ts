import type { DueWords } from './due-work.ts'

/** The most rows that are counted to say how much is due. */
export const dueCountMax = 1_000

/** A flow whose work is due first; null for what belongs to no flow. */
export type DueFlow = { readonly kind: 'canvas' | 'campaign'; readonly name: string } | null

/** Returns `1 mail is`, `12 mails are`, `at least 1,000 mails are`. `count` is at most `dueCountMax`. Pure. */
export function countedWords(count: number, one: string, several: string): string {
  if (count === 1) return `1 ${one}`
  const number = count.toLocaleString('en')
  return `${count >= dueCountMax ? `at least ${number}` : number} ${several}`
}

/** Returns a sentence with the name of the flow in place of `{flow}`, and one without it. Pure. */
export function flowWords(sentence: string, flow: { readonly kind: string; readonly name: string }): DueWords {
  const article = `a ${flow.kind}`
  return {
    named: sentence.replace('{flow}', () => `the ${flow.kind} "${flow.name}"`),
    plain: sentence.replace('{flow}', article),
  }
}

/** Joins what is due at the same time. Pure. */
export function joinWords(words: readonly DueWords[]): DueWords | undefined {
  if (words.length === 0) return undefined
  const join = (which: keyof DueWords) => words.map((each) => each[which]).join('; ')
  return { named: join('named'), plain: join('plain') }
}
