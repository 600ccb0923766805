import type { PermissionLevel } from '../permissions/permission-names.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Names that are known only while the service runs: the departments of the settings, and permissions by their level. */
export type NameList = 'departments' | PermissionLevel

/** One attribute as RFC 7643, section 7, describes it: what `/Schemas` shows, bodies are read by, and answers are cut to. */
export type Attribute = {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  readonly returned: 'always' | 'never' | 'default' | 'request'
  readonly uniqueness: 'none' | 'server'
  readonly canonicalValues?: NameList | readonly string[]
  readonly subAttributes?: readonly Attribute[]
  /** Entries of a list, when not `itemsMax` of them. */
  readonly entriesMax?: number
  /** Whether a search may ask for it; `PATCH` selects items of any list. */
  readonly isFilterable: boolean
}

/** E-mail addresses of one person. */
export const emailsMax = 100

type Traits = Partial<Omit<Attribute, 'name' | 'type' | 'description' | 'subAttributes'>>

function attribute(type: Attribute['type'], name: string, description: string, traits: Traits = {}): Attribute {
  return {
    name,
    type,
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    isFilterable: true,
    ...traits,
  }
}

const text = (name: string, description: string, traits?: Traits) => attribute('string', name, description, traits)

function complex(name: string, description: string, subAttributes: readonly Attribute[], traits?: Traits): Attribute {
  return { ...attribute('complex', name, description, traits), subAttributes }
}

const readOnly = { mutability: 'readOnly' } as const
const list = { multiValued: true, isFilterable: false } as const
const unasked = { isFilterable: false } as const

const moment = (name: string, description: string) => attribute('dateTime', name, description, readOnly)

function permissionList(name: string, description: string, level: PermissionLevel, traits?: Traits): Attribute {
  return text(name, description, { ...list, caseExact: true, canonicalValues: level, ...traits })
}

/** What every resource has; RFC 7643, section 3.1, leaves it out of the schemas. */
const commonAttributes: readonly Attribute[] = [
  text('schemas', 'The schemas of the resource', { ...readOnly, ...list, caseExact: true, returned: 'always' }),
  text('id', 'Given by the service; never changes', {
    ...readOnly,
    caseExact: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  text('externalId', 'The name by which the client knows the resource', { caseExact: true }),
  complex(
    'meta',
    'About the resource itself',
    [
      text('resourceType', 'The kind of the resource', { ...readOnly, caseExact: true }),
      moment('created', 'When it was made'),
      moment('lastModified', 'When it last changed'),
      attribute('reference', 'location', 'Where it is', { ...readOnly, ...unasked, caseExact: true }),
      text('version', 'Its entity tag', { ...readOnly, ...unasked, caseExact: true }),
    ],
    readOnly,
  ),
]

const team = complex(
  'team',
  'Permissions within a team',
  [
    text('teamName', 'The name of the team, as the workspace file declares it', { caseExact: true }),
    text('teamId', 'Its id, which may be given in place of the name', { caseExact: true }),
    permissionList('teamPermissions', 'What may be done in the team', 'team'),
  ],
  list,
)

const permissionSets = complex(
  'appGroupPermissionSets',
  'Permission sets of the workspace',
  [
    text('appGroupPermissionSetName', 'The name of the set', { caseExact: true }),
    text('appGroupPermissionSetId', 'Its id, which may be given in place of the name', { caseExact: true }),
    permissionList('permissions', 'What the set holds', 'workspace', readOnly),
  ],
  list,
)

const workspaceMembers: readonly Attribute[] = [
  text('appGroupName', 'The name of the workspace', { caseExact: true }),
  text('appGroupId', 'Its id, which may be given in place of the name', { caseExact: true }),
  permissionList('appGroupPermissions', 'What may be done in the workspace', 'workspace'),
  permissionSets,
  team,
]

const permissions = complex(
  'permissions',
  'What the account may do: everywhere, by role, and in each workspace',
  [
    permissionList('companyPermissions', 'What may be done everywhere', 'company'),
    complex(
      'roles',
      'Roles, as the workspace file declares them',
      [
        text('roleName', 'The name of the role', { caseExact: true }),
        text('roleId', 'Its id, which may be given in place of the name', { caseExact: true }),
        complex('appGroup', 'What the role gives', workspaceMembers, { ...list, ...readOnly }),
      ],
      list,
    ),
    complex('appGroup', 'What may be done in single workspaces', workspaceMembers, list),
  ],
  unasked,
)

const department = text('department', 'One of the departments of the settings', {
  required: true,
  canonicalValues: 'departments',
})

/** Of the schema of users (specification 2.7, and what identity providers send beside it). */
export const userAttributes: readonly Attribute[] = [
  text('userName', 'An e-mail address; unique whatever its case, and never changed', {
    required: true,
    mutability: 'immutable',
    uniqueness: 'server',
  }),
  complex(
    'name',
    'The name of the person',
    [text('givenName', 'The first name', { required: true }), text('familyName', 'The last name', { required: true })],
    { required: true },
  ),
  text('displayName', 'The name to show'),
  text('locale', 'The language in which to address the person'),
  attribute('boolean', 'active', 'Whether the person may sign in'),
  text('password', 'Taken and forgotten: people sign in by link or through their provider', {
    ...unasked,
    caseExact: true,
    mutability: 'writeOnly',
    returned: 'never',
  }),
  complex(
    'emails',
    'E-mail addresses of the person',
    [
      text('value', 'The address'),
      text('type', 'What it is for', { canonicalValues: ['work', 'home', 'other'] }),
      attribute('boolean', 'primary', 'Whether it is the one to use; one is'),
      text('display', 'How to show it'),
    ],
    { multiValued: true, entriesMax: emailsMax },
  ),
  department,
  permissions,
  moment('lastSignInAt', 'When the person last signed in; null before the first time'),
  moment('createdAt', 'When the account was made'),
]

/** The department once more, where identity providers look for it: shown when it is asked for. */
export const enterpriseAttributes: readonly Attribute[] = [{ ...department, required: false, returned: 'request' }]

/** What the resource of a user has. */
export const userResource: readonly Attribute[] = [...commonAttributes, ...userAttributes]

/** What a search for groups may ask for; there are none. */
export const groupResource: readonly Attribute[] = [
  ...commonAttributes,
  text('displayName', 'The name of the group'),
  complex('members', 'Who is in it', [text('value', 'The id of a user', { caseExact: true })], { multiValued: true }),
]

/**
 * What RFC 7643 knows of people and this service does not keep, in lower case. Providers send it unasked, so it is taken and forgotten
 * wherever it stands, while a name that nobody knows is a mistake.
 */
export const unkept: Readonly<Record<'user' | 'name' | 'enterprise', ReadonlySet<string>>> = {
  user: new Set([
    ...[
      'nickname',
      'profileurl',
      'title',
      'usertype',
      'preferredlanguage',
      'timezone',
      'phonenumbers',
      'ims',
      'photos',
    ],
    ...['addresses', 'groups', 'entitlements', 'roles', 'x509certificates'],
  ]),
  name: new Set(['formatted', 'middlename', 'honorificprefix', 'honorificsuffix']),
  enterprise: new Set(['employeenumber', 'costcenter', 'organization', 'division', 'manager']),
}

/** The attribute of that name, whatever its case. */
export function findAttribute(among: readonly Attribute[], name: string): Attribute | undefined {
  const lower = name.toLowerCase()
  return among.find((each) => each.name.toLowerCase() === lower)
}
