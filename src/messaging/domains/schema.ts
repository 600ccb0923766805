import Type, { type Static } from 'typebox'

/** Checks of a workspace in a minute, for all its domains together: each asks DNS some questions. */
export const checksPerMinuteMax = 10
/** The time for all questions of a check, and for one try of one question. */
export const checkMsMax = 6_000
export const questionMsMax = 1_500
/** Values of an answer that are kept, and characters of each. */
export const valuesMax = 20
export const valueCharactersMax = 1_000

export const purposes = ['dkim', 'spf', 'dmarc', 'return_path', 'links'] as const
export const recordTypes = ['TXT', 'MX', 'A'] as const

/**
 * `found`: DNS has it · `missing`: there is no such record · `different`: there is another one · `unknown`: the question was not
 * answered, or cannot be asked · `not_checked`: DNS was not asked yet.
 */
export const recordStates = ['found', 'missing', 'different', 'unknown', 'not_checked'] as const

export const DomainRecord = Type.Object({
  purpose: Type.Enum([...purposes]),
  type: Type.Enum([...recordTypes], { description: 'A stands for every record that leads to an address.' }),
  name: Type.String({ description: 'The name in DNS' }),
  value: Type.Union([Type.String(), Type.Null()], {
    description: 'What to publish; null when any address will do.',
  }),
  explanation: Type.String({ description: 'What the record is for' }),
  state: Type.Enum([...recordStates]),
  found: Type.Array(Type.String(), { description: 'What DNS has at this name now' }),
  sentence: Type.String({ description: 'What the state means, and what to do' }),
})
export type DomainRecord = Static<typeof DomainRecord>

export const DomainReply = Type.Object({
  domain: Type.String(),
  records: Type.Array(DomainRecord),
})
export type DomainReply = Static<typeof DomainReply>
