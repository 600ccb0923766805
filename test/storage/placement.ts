/**
 * Tables without a bucket, which every node of a sharded database would hold whole. A table is here or begins with the bucket
 * of a person or an address: each new one has to be placed.
 */
export const referenceTables: readonly string[] = [
  'api_key',
  'app',
  'catalog',
  'catalog_remains',
  'catalog_selection',
  'content_block',
  'counter',
  'credential',
  'deleted_messages',
  'dispatch',
  'dispatch_slot',
  'dkim_key',
  'email_template',
  'idempotency',
  'installation',
  'migration',
  'name',
  'rate_window',
  'segment',
  'segment_export',
  'segment_size',
  'send_rate',
  'subscription_group',
  'version',
  'webhook_token',
  'workspace',
]
