/**
 * Standard fields for `${name}`: the names of engagement platforms with those of `TemplateVariables.standard`. Other names are the same in
 * both.
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

/** Returns the member of `TemplateVariables.standard` that `${name}` reads. `serviceName` is `EASEL_SERVICE_NAME`. */
export function standardField(name: string, serviceName: string): string {
  return name === `${serviceName}_id` ? 'service_id' : (fieldOf.get(name) ?? name)
}

/** The root that `rewriteDialect` writes for `${name}`. */
export const standardRoot = '__standard'
/** The filter that `rewriteDialect` writes for `content_blocks.${name}`. */
export const blockFilter = '__content_block'
/** The links to preference centers: `preference_center.${name}`. */
export const centerRoot = 'preference_center'

/** The members of `TemplateVariables` that templates see under the same name. */
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
  'form_field_name',
  centerRoot,
] as const

/** Texts that the page of a preference center sees under the same name. */
export const textRoots = ['submit_url', 'preference_center_submit_url'] as const

/** Tags whose content is text with `{{ }}` in it, not an expression. */
export const textTags: ReadonlySet<string> = new Set([
  'abort_message',
  'catalog_items',
  'catalog_selection_items',
  'connected_content',
  'message_extras',
])
