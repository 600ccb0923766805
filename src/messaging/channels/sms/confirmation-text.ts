import { type DoubleOptIn, keywordDefault, validHoursDefault } from '../../../workspace/settings/double-opt-in.ts'
import type { Settings } from '../../../workspace/settings/settings.ts'
import { bodyMistake, type TextedConfirmation, type TextMessage } from './content.ts'
import { keywordOf, wordOf } from './keywords.ts'
import { isSenderName, senderOf } from './sender.ts'

/** The built-in texts of one language. Their characters are those of GSM-7, so that a text is one segment. */
type Wording = { readonly asked: string; readonly confirmed: string }

const wordings: Readonly<Record<'en' | 'de' | 'fr' | 'es', Wording>> = {
  en: {
    asked:
      '{group}: reply {keyword} within {hours} hours to confirm that you want these texts. HELP for help, STOP to stop.',
    confirmed: 'You get {group} from now on. Reply HELP for help, STOP to get no more.',
  },
  de: {
    asked:
      '{group}: Antworten Sie {keyword}, um zu bestätigen. Das gilt {hours} Stunden. HELP für Hilfe, STOP zum Abmelden.',
    confirmed: 'Sie bekommen ab jetzt {group}. HELP für Hilfe, STOP zum Abmelden.',
  },
  fr: {
    asked:
      '{group} : répondez {keyword} pour confirmer. Valable {hours} heures. HELP pour aide, STOP pour ne rien recevoir.',
    confirmed: 'Vous recevez {group} à partir de maintenant. HELP pour aide, STOP pour ne plus rien recevoir.',
  },
  es: {
    asked:
      '{group}: responda {keyword} para confirmar. Vale {hours} horas. HELP para ayuda, STOP para no recibir nada.',
    confirmed: 'A partir de ahora recibe {group}. HELP para ayuda, STOP para no recibir nada.',
  },
}

function wordingOf(language: string): Wording {
  const name = language.split('-')[0]!
  return Object.hasOwn(wordings, name) ? wordings[name as keyof typeof wordings] : wordings.en
}

const variables = { group: 'confirmation_group', keyword: 'confirmation_keyword', hours: 'confirmation_hours' } as const
export const keywordVariable = variables.keyword

/** Returns the word that confirms a group. Pure. */
export function confirmationWord({ keyword = keywordDefault }: DoubleOptIn): string {
  return wordOf(keyword)
}

/** Returns the text that asks a person to confirm: that of the group, or the built-in one of the language. Pure. */
export function confirmationText(
  { body, keyword = keywordDefault, valid_hours = validHoursDefault }: DoubleOptIn,
  about: { readonly subscription_group_id: string; readonly group: string; readonly language: string },
): TextMessage {
  const { subscription_group_id, group, language } = about
  const asked = wordingOf(language).asked.replaceAll(
    /\{(group|keyword|hours)\}/g,
    (_, name: keyof typeof variables) => {
      return `{{\${${variables[name]}}}}`
    },
  )
  return { body: body ?? asked, subscription_group_id, confirmation: { keyword: keyword.trim(), group, valid_hours } }
}

/** Returns the Liquid variables of a text that asks for a confirmation, such as `{{${confirmation_keyword}}}`. Pure. */
export function confirmationFields({
  group,
  keyword,
  valid_hours,
}: TextedConfirmation): Readonly<Record<string, string>> {
  return {
    [variables.group]: group,
    [variables.keyword]: keyword,
    [variables.hours]: String(valid_hours),
  }
}

/** What was confirmed by one reply: a group, and the language in which the person was asked. */
export type Replied = {
  readonly name: string
  readonly language: string
  readonly double_opt_in: DoubleOptIn | null
}

/** Returns the answer to a reply that confirms these groups: the text of one of them, or the built-in one. Pure. */
export function confirmedReply(replied: readonly [Replied, ...Replied[]]): string {
  const names = [...new Set(replied.map(({ name }) => name))].join(', ')
  const own = replied.find(({ double_opt_in }) => double_opt_in?.confirmed_reply !== undefined)
  const text = own?.double_opt_in?.confirmed_reply ?? wordingOf(replied[0].language).confirmed
  return text.replaceAll('{group}', () => names)
}

/** Returns what is wrong with the double opt-in of a group for texts; undefined when nothing is. Pure. */
export function confirmationMistake(
  { keyword, body }: DoubleOptIn,
  group: string,
  settings: Pick<Settings, 'sms'>,
): { readonly path: string; readonly message: string } | undefined {
  const word = wordOf(keyword ?? keywordDefault)
  if (word === '') return { path: 'keyword', message: 'must have a letter or a digit' }
  if (word !== keywordDefault && keywordOf(word) !== undefined) {
    return { path: 'keyword', message: 'must not be a word that stops, starts or asks for help, such as STOP' }
  }
  const mistake = body === undefined ? undefined : bodyMistake(body, 'body')[0]
  if (mistake) return mistake
  if (body !== undefined && !body.includes(keywordVariable) && !wordsIn(body).includes(word)) {
    return { path: 'body', message: `must have the keyword: {{\${${keywordVariable}}}}` }
  }
  const sender = senderOf(settings, group)
  if (sender === undefined || !isSenderName(sender)) return undefined
  return { path: 'enabled', message: `needs a sender that takes replies: "${sender}" is a name (settings.sms)` }
}

function wordsIn(text: string): string[] {
  return text.split(/\s+/).map(wordOf)
}
