import { notFound } from '../../base/errors.ts'
import { escapeHtml, type PageReply } from '../../base/http/page.ts'
import type { Query } from '../../base/http/route.ts'
import { visitorPage } from '../../base/http/visitor-page.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import {
  type GroupChoice,
  loadPreferences,
  type PreferenceServices,
  type Preferences,
  savePreferences,
  type WantedPreferences,
} from './preferences.ts'
import { addressesHtml, suppressedNote, type UnsubscribePageServices } from './unsubscribe-page.ts'

export type PreferencesPageServices = PreferenceServices & UnsubscribePageServices

/** Shows the preferences of a recipient as check boxes. */
export async function showPreferences(target: TokenTarget, services: PreferencesPageServices): Promise<PageReply> {
  const preferences = await loadPreferences(target, services)
  if (!preferences) throw notFound('The person of this token was deleted')
  return preferencesPage(preferences, '', services)
}

const saved = '<p class="notice" role="status">Your preferences are saved.</p>\n'
const notSaved =
  '<p class="wrong" role="alert">Nothing was saved: the form arrived incomplete. These are your current preferences.</p>\n'

/** Saves preferences and shows the result. */
export async function changePreferences(
  target: TokenTarget,
  form: Query,
  services: PreferencesPageServices,
): Promise<PageReply> {
  const wanted = readWanted(form)
  const after = wanted ? await savePreferences(target, wanted, services) : await loadPreferences(target, services)
  if (!after) throw notFound('The person of this token was deleted')
  return wanted ? savedPage(after, services) : preferencesPage(after, notSaved, services, 400)
}

const number = /^\d{1,9}$/

/** Reads the form. Browsers do not send unchecked boxes, so a hidden field lists the groups in the form. */
function readWanted({ shown, mail = [], group = [] }: Query): WantedPreferences | undefined {
  const [list, ...more] = shown ?? []
  if (list === undefined || more.length > 0) return undefined
  const groups = list === '' ? [] : list.split(' ')
  if (![...groups, ...group].every((each) => number.test(each))) return undefined
  return {
    mail: mail.includes('yes') ? 'subscribed' : 'unsubscribed',
    shown: new Set(groups.map(Number)),
    chosen: new Set(group.map(Number)),
  }
}

/** Shows preferences that were saved just now. */
export function savedPage(preferences: Preferences, services: PreferencesPageServices): PageReply {
  return preferencesPage(preferences, saved, services)
}

export function preferencesPage(
  preferences: Preferences,
  note: string,
  services: PreferencesPageServices,
  status = 200,
): PageReply {
  const { recipient, wantsMail, suppressions, choices } = preferences
  const from = services.workspaces.get(recipient.workspace_id).name
  return visitorPage({
    from,
    status,
    heading: 'Your e-mail preferences',
    content: `${note}<p>For e-mails to ${addressesHtml(recipient)}.</p>
${wantsMail ? suppressedNote(recipient, suppressions, from) : ''}<form method="post">
<input type="hidden" name="shown" value="${choices.map(({ group_id }) => group_id).join(' ')}">
<fieldset>
<legend>All e-mails</legend>
<label class="choice"><input type="checkbox" name="mail" value="yes"${wantsMail ? ' checked' : ''}>
<span>Send me e-mails<small>Without this you get none of the e-mails below. Receipts and the like may still come.</small></span></label>
</fieldset>
${channels.map((each) => choicesList(each, preferences)).join('')}<div class="act"><button>Save</button></div>
</form>`,
  })
}

/** The channels that groups have, in the order of the page, with the words above their groups. */
const channels: readonly { readonly channel: GroupChoice['channel']; readonly legend: string }[] = [
  { channel: 'email', legend: 'What you would like to get by e-mail' },
  { channel: 'sms', legend: 'What you would like to get by text message' },
]

const pendingText: Readonly<Record<GroupChoice['channel'], string>> = {
  email: '<small>Not confirmed yet: please open the link in the mail that we sent you.</small>',
  sms: '<small>Not confirmed yet: please reply to the text message that we sent you.</small>',
}

function choicesList(
  { channel, legend }: (typeof channels)[number],
  { choices }: Pick<Preferences, 'choices'>,
): string {
  const own = choices.filter((choice) => choice.channel === channel)
  if (own.length === 0) return ''
  const boxes = own.map(
    ({ group_id, name, isIn, isPending }) =>
      `<label class="choice"><input type="checkbox" name="group" value="${group_id}"${isIn ? ' checked' : ''}>
<span dir="auto">${escapeHtml(name)}${isPending ? pendingText[channel] : ''}</span></label>`,
  )
  return `<fieldset>\n<legend>${legend}</legend>\n${boxes.join('\n')}\n</fieldset>\n`
}
