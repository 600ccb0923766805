/**
 * What `${name}` alone stands for. Left the names that engagement platforms use, right ours in `Personal.standard`; a name that
 * is not here stands for itself.
 */
const fieldOf: ReadonlyMap<string, string> = new Map([
  ['user_id', 'external_id'],
  ['email_address', 'email'],
  ['phone_number', 'phone'],
  ['city', 'home_city'],
  ['date_of_birth', 'dob'],
  ['last_used_app_date', 'date_of_last_session'],
  ['random_bucket_number', 'random_bucket'],
])

/** The member of `Personal.standard` that `${name}` reads. The word of the installation (`EASEL_SERVICE_NAME`) names the id we give. */
export function standardField(name: string, word: string): string {
  return name === `${word}_id` ? 'service_id' : (fieldOf.get(name) ?? name)
}

/** The root under which a template's `${name}` is looked up; nobody writes it by hand. */
export const standardRoot = '__standard'
/** The filter that `content_blocks.${name}` becomes. */
export const blockFilter = '__content_block'

/** The members of `Personal` that templates see under their own name. */
export const roots = [
  'canvas_entry_properties',
  'context',
  'event_properties',
  'api_trigger_properties',
  'subscribed_state',
  'most_recently_used_device',
  'targeted_device',
  'campaign',
  'canvas',
  'app',
] as const

/** Tags whose words are text rather than an expression, with `{{ }}` where values go. */
export const textTags: ReadonlySet<string> = new Set([
  'abort_message',
  'catalog_items',
  'catalog_selection_items',
  'connected_content',
  'message_extras',
])
