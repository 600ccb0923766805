/** The names of a person in `${...}`. */
export const personNames: readonly string[] = [
  ...['first_name', 'last_name', 'email_address', 'user_id', 'phone_number', 'gender', 'date_of_birth', 'country'],
  ...['city', 'language', 'time_zone', 'last_used_app_date', 'random_bucket_number', 'total_revenue'],
  ...['set_user_to_unsubscribed_url', 'preferences_url'],
]

/** What texts can name besides the person, with `.${...}` behind it. */
export const roots: readonly string[] = [
  ...['custom_attribute', 'content_blocks', 'context', 'event_properties', 'api_trigger_properties'],
  ...[
    'canvas_entry_properties',
    'subscribed_state',
    'most_recently_used_device',
    'campaign',
    'app',
    'preference_center',
  ],
]

/** Tags besides those of Liquid itself. */
export const ownTags: readonly string[] = [
  ...['abort_message', 'catalog_items', 'catalog_selection_items', 'connected_content', 'message_extras'],
]

/** Filters besides those of Liquid itself. */
export const ownFilters: readonly string[] = [
  ...['md5', 'sha1', 'sha2', 'sha256', 'sha512', 'hmac_sha1', 'hmac_sha256', 'hmac_sha512', 'base64_encode'],
  ...['base64_decode', 'url_escape', 'url_param_escape', 'json_escape', 'json_parse', 'as_json_string'],
  ...['number_with_delimiter', 'property_accessor', 'time_zone'],
]

/** Filters of Liquid itself. */
export const liquidFilters: readonly string[] = [
  ...[
    'abs',
    'append',
    'at_least',
    'at_most',
    'capitalize',
    'ceil',
    'compact',
    'concat',
    'date',
    'default',
    'divided_by',
  ],
  ...['downcase', 'escape', 'escape_once', 'first', 'floor', 'join', 'last', 'lstrip', 'map', 'minus', 'modulo'],
  ...['newline_to_br', 'plus', 'prepend', 'remove', 'remove_first', 'replace', 'replace_first', 'reverse', 'round'],
  ...['rstrip', 'size', 'slice', 'sort', 'sort_natural', 'split', 'strip', 'strip_html', 'strip_newlines', 'sum'],
  ...['times', 'truncate', 'truncatewords', 'uniq', 'upcase', 'url_decode', 'url_encode', 'where'],
]
