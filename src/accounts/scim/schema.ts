import type { PermissionLevel } from '../permissions/permission-names.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Lists of canonical values that depend on the installation: departments, names that workspaces declare, and permissions by level. */
export type NameList = 'departments' | 'workspaces' | 'roles' | 'teams' | 'sets' | PermissionLevel

/** One attribute (RFC 7643, section 7). `/Schemas`, the reading of bodies and the projection of answers all use it. */
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
  /** The most entries of a list; `listEntriesMax` when absent. */
  readonly entriesMax?: number
  /** Whether a search may use it. A `PATCH` path may select items of any list. */
  readonly isFilterable: boolean
}

export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** Members in one list of a request; what a request may name in all is less. */
const groupListMax = 100_000

/** E-mail addresses of one account, and addresses of instant messaging. */
export const accountAddressesMax = 100

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
const notFilterable = { isFilterable: false } as const

const dateTime = (name: string, description: string) => attribute('dateTime', name, description, readOnly)

function permissionList(name: string, description: string, level: PermissionLevel, traits?: Traits): Attribute {
  return text(name, description, { ...list, caseExact: true, canonicalValues: level, ...traits })
}

/** The common attributes of RFC 7643, section 3.1, which are not part of the schemas. */
const commonAttributes: readonly Attribute[] = [
  text('schemas', 'The schemas of the resource', { ...readOnly, ...list, caseExact: true, returned: 'always' }),
  text('id', 'The id that the service assigns; it never changes', {
    ...readOnly,
    caseExact: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  text('externalId', 'The id of the resource in the system of the client', { caseExact: true }),
  complex(
    'meta',
    'About the resource itself',
    [
      text('resourceType', 'The kind of the resource', { ...readOnly, caseExact: true }),
      dateTime('created', 'When the resource was created'),
      dateTime('lastModified', 'When the resource was last changed'),
      attribute('reference', 'location', 'The URL of the resource', { ...readOnly, ...notFilterable, caseExact: true }),
      text('version', 'The ETag of the resource', { ...readOnly, ...notFilterable, caseExact: true }),
    ],
    readOnly,
  ),
]

const team = complex(
  'team',
  'Permissions within a team',
  [
    text('teamName', 'The name of the team in the workspace file', { caseExact: true, canonicalValues: 'teams' }),
    text('teamId', 'The id, which may be given instead of the name', { caseExact: true }),
    permissionList('teamPermissions', 'Permissions in the team', 'team'),
  ],
  list,
)

const permissionSets = complex(
  'appGroupPermissionSets',
  'Permission sets of the workspace',
  [
    text('appGroupPermissionSetName', 'The name of the set', { caseExact: true, canonicalValues: 'sets' }),
    text('appGroupPermissionSetId', 'The id, which may be given instead of the name', { caseExact: true }),
    permissionList('permissions', 'The permissions of the set', 'workspace', readOnly),
  ],
  list,
)

const workspaceMembers: readonly Attribute[] = [
  text('appGroupName', 'The name of the workspace', { caseExact: true, canonicalValues: 'workspaces' }),
  text('appGroupId', 'The id, which may be given instead of the name', { caseExact: true }),
  permissionList('appGroupPermissions', 'Permissions in the workspace', 'workspace'),
  permissionSets,
  team,
]

const permissions = complex(
  'permissions',
  'The permissions of the account: everywhere, by role, and in each workspace',
  [
    permissionList('companyPermissions', 'Permissions everywhere', 'company'),
    complex(
      'roles',
      'Roles of the workspace files',
      [
        text('roleName', 'The name of the role', { caseExact: true, canonicalValues: 'roles' }),
        text('roleId', 'The id, which may be given instead of the name', { caseExact: true }),
        complex('appGroup', 'The permissions of the role', workspaceMembers, { ...list, ...readOnly }),
      ],
      list,
    ),
    complex('appGroup', 'Permissions in single workspaces', workspaceMembers, list),
  ],
  notFilterable,
)

const department = text('department', 'One of the departments of the settings', {
  required: true,
  canonicalValues: 'departments',
})

/** The attributes of users (specification 2.7), and those that identity providers send in addition. */
export const userAttributes: readonly Attribute[] = [
  text('userName', 'An e-mail address. It is unique without regard to case and never changes', {
    required: true,
    mutability: 'immutable',
    uniqueness: 'server',
  }),
  complex(
    'name',
    'The name of the person',
    [
      text('givenName', 'The first name', { required: true }),
      text('familyName', 'The last name; empty for a person without one. Clients of the specification must give it'),
    ],
    { required: true },
  ),
  text('displayName', 'The name for display'),
  text('locale', 'The language of the person'),
  text('title', 'The job title of the person'),
  text('userType', 'The kind of the person in the organisation, such as employee or contractor'),
  attribute('boolean', 'active', 'Whether the person may sign in'),
  text('password', 'Accepted and ignored: people sign in by link or through their identity provider', {
    ...notFilterable,
    caseExact: true,
    mutability: 'writeOnly',
    returned: 'never',
  }),
  complex(
    'emails',
    'E-mail addresses of the person',
    [
      text('value', 'The address'),
      text('type', 'The kind of the address', { canonicalValues: ['work', 'home', 'other'] }),
      attribute('boolean', 'primary', 'Whether it is the primary address; at most one is'),
      text('display', 'The address for display'),
    ],
    { multiValued: true, entriesMax: accountAddressesMax },
  ),
  complex(
    'ims',
    'Addresses of instant messaging',
    [
      text('value', 'The address'),
      text('type', 'The service of the address', {
        canonicalValues: ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo'],
      }),
      attribute('boolean', 'primary', 'Whether it is the primary address; at most one is'),
      text('display', 'The address for display'),
    ],
    { multiValued: true, entriesMax: accountAddressesMax },
  ),
  department,
  permissions,
  complex(
    'roles',
    'The roles of `permissions.roles`, where identity providers expect them',
    [
      text('value', 'The name or the id of a role', { caseExact: true, canonicalValues: 'roles' }),
      text('display', 'The name of the role'),
      text('type', 'Accepted and ignored'),
      attribute('boolean', 'primary', 'Whether it is the only role'),
    ],
    list,
  ),
  dateTime('lastSignInAt', 'When the person last signed in; null before the first sign-in'),
  dateTime('createdAt', 'When the account was created'),
]

/** The department in the enterprise schema, where identity providers expect it. A write that sets it answers it; a read on request only. */
export const enterpriseAttributes: readonly Attribute[] = [
  text('department', 'The department. `settings.scim.unknown_departments` decides what happens to an unknown one', {
    canonicalValues: 'departments',
    returned: 'request',
  }),
]

/** The enterprise schema as an attribute: a PATCH changes it apart from the core `department`. */
export const enterpriseUser: Attribute = complex(enterpriseSchema, 'The enterprise schema', enterpriseAttributes)

export const userResource: readonly Attribute[] = [...commonAttributes, ...userAttributes]

/** The attributes of groups: roles and teams (RFC 7643, section 4.2). */
export const groupAttributes: readonly Attribute[] = [
  text('displayName', 'The name of the role or the team', { required: true, uniqueness: 'server' }),
  complex(
    'members',
    'The accounts that have the role or belong to the team',
    [
      text('value', 'The id of a user', { caseExact: true }),
      attribute('reference', '$ref', 'The URL of the user', { ...readOnly, ...notFilterable, caseExact: true }),
      text('display', 'The name of the user', { ...readOnly, ...notFilterable }),
      text('type', 'User', { ...readOnly, ...notFilterable }),
    ],
    { multiValued: true, entriesMax: groupListMax },
  ),
]

export const groupResource: readonly Attribute[] = [...commonAttributes, ...groupAttributes]

/**
 * Attributes of RFC 7643 that this service does not store, in lower case. Providers send them, so they are accepted and ignored, while an
 * unknown name is a mistake.
 */
export const notStored: Readonly<Record<'user' | 'name' | 'enterprise', ReadonlySet<string>>> = {
  user: new Set([
    ...['nickname', 'profileurl', 'preferredlanguage', 'timezone', 'phonenumbers', 'photos'],
    ...['addresses', 'groups', 'entitlements', 'x509certificates'],
  ]),
  name: new Set(['formatted', 'middlename', 'honorificprefix', 'honorificsuffix']),
  enterprise: new Set(['employeenumber', 'costcenter', 'organization', 'division', 'manager']),
}

const attributesByName = new WeakMap<readonly Attribute[], ReadonlyMap<string, Attribute>>()

/** Finds an attribute by name, without regard to case. */
export function findAttribute(among: readonly Attribute[], name: string): Attribute | undefined {
  let byName = attributesByName.get(among)
  if (byName === undefined) {
    byName = new Map(among.map((each) => [each.name.toLowerCase(), each]))
    attributesByName.set(among, byName)
  }
  return byName.get(name.toLowerCase())
}
