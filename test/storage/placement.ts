/**
 * Tables without a bucket, which every node of a sharded database would hold whole. A table is here or begins with the bucket
 * of a person or an address: each new one has to be placed.
 */
export const referenceTables: readonly string[] = [
  'api_key',
  'app',
  'counter',
  'installation',
  'migration',
  'name',
  'rate_window',
  'subscription_group',
  'version',
  'workspace',
]
