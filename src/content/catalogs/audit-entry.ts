import type { CatalogDefinition } from './store.ts'

/** Returns the target of an audit row. */
export function auditTarget({ id, name }: Pick<CatalogDefinition, 'id' | 'name'>) {
  return { kind: 'catalog', id, name }
}

/** Returns a catalog as the workspace file has it. */
export function describeDefinition({ id, name, description, fields }: Omit<CatalogDefinition, 'next_token'>): object {
  return { id, name, description, fields: fields.map((field) => ({ name: field.name, type: field.type })) }
}
