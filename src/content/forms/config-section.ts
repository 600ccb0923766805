import type { ConfigSection, EntryResolution, GivenEntry, OtherSections } from '../../workspace/file/config-section.ts'
import { activeDoubleOptIn } from '../../workspace/settings/double-opt-in.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import type { SubscriptionGroup } from '../../workspace/settings/store.ts'
import { deleteForm, insertForms, listForms, type SignUpForm, updateForms } from './form-store.ts'
import { FormDefinition, FormShape, formsMax } from './schema.ts'

/** `sign_up_forms`: pages on which people sign up for a subscription group. */
export const formsSection: ConfigSection<SignUpForm> = {
  name: 'sign_up_forms',
  path: 'sign_up_forms',
  one: 'sign_up_form',
  shape: FormShape,
  countMax: formsMax,
  counts: () => true,
  list: listForms,
  resolve: (given, before, _settings, others) => resolveForm(given, before, others),
  toReply: ({ definition, ...form }) => ({ ...form, ...definition }),
  async insert(tx, workspace_id, forms, at) {
    await insertForms(tx, workspace_id, forms, at)
    return []
  },
  update: updateForms,
  endSummary: 'Delete a sign-up form. Its page is gone; people who signed up can still confirm.',
  end: deleteForm,
}

function resolveForm(
  { id, name, subscription_group_id, state, ...rest }: GivenEntry & { readonly id: string },
  before: SignUpForm | undefined,
  others: OtherSections,
): EntryResolution<SignUpForm> {
  const groups = others('subscription_groups') as readonly SubscriptionGroup[]
  const { redirect_url, ...members } = { ...before?.definition, ...pick(rest) }
  // An empty text takes it back: absent members keep what is stored.
  const definition = { ...members, ...(redirect_url && { redirect_url }) }
  const mistake =
    groupMistake(groups.find((group) => group.id === subscription_group_id)) ?? definitionMistake(definition)
  if (mistake) return { mistake }
  return {
    entry: {
      id,
      name,
      subscription_group_id: subscription_group_id as string,
      state: (state as SignUpForm['state'] | undefined) ?? before?.state ?? 'active',
      definition,
    },
  }
}

function pick(given: Readonly<Record<string, unknown>>): FormDefinition {
  const known = Object.keys(FormDefinition.properties)
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => known.includes(key) && value !== undefined))
}

function groupMistake(group: SubscriptionGroup | undefined): Mistake | undefined {
  const path = 'subscription_group_id'
  if (!group) return { path, message: 'must be the id of a subscription group of this workspace' }
  if (activeDoubleOptIn(group)) return undefined
  return { path, message: 'must be a group with double_opt_in enabled: a form asks people to confirm' }
}

function definitionMistake({ redirect_url, embed_origins = [] }: FormDefinition): Mistake | undefined {
  if (redirect_url !== undefined && !isHttps(redirect_url)) {
    return { path: 'redirect_url', message: 'must be an https URL without a user or password' }
  }
  const wrong = embed_origins.findIndex((origin) => !isOrigin(origin))
  if (wrong < 0) return undefined
  return {
    path: `embed_origins[${wrong}]`,
    message: 'must be an https origin without a path, such as https://www.example.com',
  }
}

function isHttps(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}

/** The text becomes a part of a Content-Security-Policy, so it must be exactly an origin. */
function isOrigin(text: string): boolean {
  return isHttps(text) && URL.parse(text)!.origin === text
}
