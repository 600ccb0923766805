import {
  type Attribute,
  enterpriseAttributes,
  enterpriseSchema,
  type NameList,
  userAttributes,
  userSchema,
} from './schema.ts'

/** A document of `/Schemas` (RFC 7643, section 7), without its place. */
export type SchemaDocument = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly object[]
}

/** The schemas of users as `/Schemas` shows them, with the names that are known here as canonical values. */
export function schemaDocuments(names: Readonly<Record<NameList, readonly string[]>>): SchemaDocument[] {
  const show = (attribute: Attribute) => shownAttribute(attribute, names)
  return [
    {
      id: userSchema,
      name: 'User',
      description: 'Somebody who may sign in to the dashboard',
      attributes: userAttributes.map(show),
    },
    {
      id: enterpriseSchema,
      name: 'EnterpriseUser',
      description: 'The department, where identity providers look for it',
      attributes: enterpriseAttributes.map(show),
    },
  ]
}

function shownAttribute(attribute: Attribute, names: Readonly<Record<NameList, readonly string[]>>): object {
  const {
    isFilterable: _,
    entriesMax: __,
    caseExact,
    uniqueness,
    canonicalValues,
    subAttributes,
    type,
    ...shown
  } = attribute
  const isText = type === 'string' || type === 'reference'
  return {
    ...shown,
    type,
    ...(isText && { caseExact }),
    ...(type !== 'complex' && type !== 'boolean' && { uniqueness }),
    ...(canonicalValues && {
      canonicalValues: typeof canonicalValues === 'string' ? names[canonicalValues] : canonicalValues,
    }),
    ...(type === 'reference' && { referenceTypes: ['uri'] }),
    ...(subAttributes && { subAttributes: subAttributes.map((each) => shownAttribute(each, names)) }),
  }
}
