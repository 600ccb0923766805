import {
  type Attribute,
  enterpriseAttributes,
  enterpriseSchema,
  groupAttributes,
  groupSchema,
  type NameList,
  userAttributes,
  userSchema,
} from './schema.ts'

/** A document of `/Schemas` (RFC 7643, section 7), without `meta`. */
export type SchemaDocument = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly object[]
}

/** Returns the documents of `/Schemas`; `names` are the canonical values that depend on the installation. */
export function schemaDocuments(names: Readonly<Record<NameList, readonly string[]>>): SchemaDocument[] {
  const describe = (attribute: Attribute) => describeAttribute(attribute, names)
  return [
    {
      id: userSchema,
      name: 'User',
      description: 'An account of the dashboard',
      attributes: userAttributes.map(describe),
    },
    {
      id: enterpriseSchema,
      name: 'EnterpriseUser',
      description: 'The department, where identity providers expect it',
      attributes: enterpriseAttributes.map(describe),
    },
    {
      id: groupSchema,
      name: 'Group',
      description: 'A role or a team',
      attributes: groupAttributes.map(describe),
    },
  ]
}

function describeAttribute(attribute: Attribute, names: Readonly<Record<NameList, readonly string[]>>): object {
  const {
    isFilterable: _,
    entriesMax: __,
    caseExact,
    uniqueness,
    canonicalValues,
    subAttributes,
    type,
    ...described
  } = attribute
  const isText = type === 'string' || type === 'reference'
  return {
    ...described,
    type,
    ...(isText && { caseExact }),
    ...(type !== 'complex' && type !== 'boolean' && { uniqueness }),
    ...(canonicalValues && {
      canonicalValues: typeof canonicalValues === 'string' ? names[canonicalValues] : canonicalValues,
    }),
    ...(type === 'reference' && { referenceTypes: ['uri'] }),
    ...(subAttributes && { subAttributes: subAttributes.map((each) => describeAttribute(each, names)) }),
  }
}
