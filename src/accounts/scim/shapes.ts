import Type from 'typebox'
import { resourcesDefault, resourcesMax } from './search-request.ts'

const Text = Type.String()
const Moment = Type.String({ format: 'date-time' })
const Names = Type.Array(Text)
const maybe = Type.Optional

const Name = Type.Object({ givenName: Text, familyName: Text }, { title: 'scim_name' })
const Address = Type.Object(
  {
    value: Text,
    type: maybe(Text),
    primary: maybe(Type.Boolean()),
    display: maybe(Text),
  },
  { title: 'scim_address' },
)

const Workspace = Type.Object(
  {
    appGroupName: maybe(Type.String({ description: 'The name; the id may be given instead.' })),
    appGroupId: maybe(Text),
    appGroupPermissions: maybe(Names),
    appGroupPermissionSets: maybe(
      Type.Array(
        Type.Object({
          appGroupPermissionSetName: maybe(Type.String({ description: 'The name; the id may be given instead.' })),
          appGroupPermissionSetId: maybe(Text),
          permissions: maybe(Type.Array(Text, { readOnly: true })),
        }),
      ),
    ),
    team: maybe(
      Type.Array(
        Type.Object({
          teamName: maybe(Type.String({ description: 'The name; the id may be given instead.' })),
          teamId: maybe(Text),
          teamPermissions: Names,
        }),
      ),
    ),
  },
  { title: 'scim_app_group' },
)

const Permissions = Type.Object(
  {
    companyPermissions: maybe(Names),
    roles: maybe(
      Type.Array(
        Type.Object({
          roleName: maybe(Type.String({ description: 'The name; the id may be given instead.' })),
          roleId: maybe(Text),
          appGroup: maybe(Type.Array(Workspace, { readOnly: true })),
        }),
      ),
    ),
    appGroup: maybe(Type.Array(Workspace)),
  },
  { title: 'scim_permissions' },
)

const optionalAttributes = {
  externalId: maybe(Text),
  displayName: maybe(Text),
  locale: maybe(Text),
  title: maybe(Text),
  userType: maybe(Text),
  active: maybe(Type.Boolean({ description: 'Whether the person may sign in.' })),
  emails: maybe(Type.Array(Address)),
  ims: maybe(Type.Array(Address)),
  roles: maybe(
    Type.Array(
      Type.Object({ value: Text, display: maybe(Text), primary: maybe(Type.Boolean()) }, { title: 'scim_role' }),
      {
        description: 'The roles of `permissions.roles`, each by its name or its id, or by JSON text with one of them.',
      },
    ),
  ),
}
const department = Type.String({ description: 'One of `settings.departments`.' })

/** The body of `POST /Users`. */
export const newUser = Type.Object({
  schemas: Names,
  userName: Type.String({ description: 'An e-mail address. It never changes.' }),
  name: Name,
  department,
  permissions: maybe(Permissions),
  ...optionalAttributes,
})

/** The body of `PUT /Users/{id}`. */
export const wholeUser = Type.Object({
  schemas: Names,
  name: Name,
  department,
  permissions: Permissions,
  ...optionalAttributes,
})

/** A user in answers. `attributes` and `excludedAttributes` can omit members. */
export const user = Type.Object(
  {
    schemas: Names,
    id: Text,
    userName: Text,
    name: Name,
    department: maybe(department),
    lastSignInAt: Type.Union([Moment, Type.Null()]),
    createdAt: Moment,
    permissions: Permissions,
    ...optionalAttributes,
    meta: Type.Object({ resourceType: Text, created: Moment, lastModified: Moment, location: Text, version: Text }),
  },
  { title: 'scim_user' },
)

const listed = (of: object, title: string) =>
  Type.Object(
    {
      schemas: Names,
      totalResults: Type.Integer(),
      startIndex: Type.Integer(),
      itemsPerPage: Type.Integer(),
      Resources: Type.Array(of as typeof user),
    },
    { title },
  )

export const userList = listed(user, 'scim_users')

/** The body of `POST /Groups` and of `PUT /Groups/{id}`. */
export const newGroup = Type.Object(
  {
    schemas: Names,
    displayName: Text,
    externalId: maybe(Text),
    members: maybe(Type.Array(Type.Object({ value: Type.String({ description: 'The id of a user.' }) }))),
  },
  { title: 'scim_group_input' },
)

/** A group in answers; a group without members has no `members`. */
export const group = Type.Object(
  {
    ...newGroup.properties,
    id: Text,
    members: maybe(Type.Array(Type.Object({ value: Text, display: Text, type: Text }))),
    meta: Type.Object({ resourceType: Text, location: Text }),
  },
  { title: 'scim_group' },
)
export const groupList = listed(group, 'scim_groups')
export const anyList = listed(Type.Object({}), 'scim_list')

export const patch = Type.Object(
  {
    schemas: Names,
    Operations: Type.Array(
      Type.Object({ op: Type.Enum(['add', 'replace', 'remove']), path: maybe(Text), value: maybe({}) }),
    ),
  },
  { title: 'scim_patch' },
)

const attributeNames = (text: string) => maybe(Type.String({ description: text }))
export const projectionQuery = Type.Object({
  attributes: attributeNames('The attributes to answer, separated by commas.'),
  excludedAttributes: attributeNames('The attributes to omit, separated by commas.'),
})

const searchMembers = {
  filter: maybe(Type.String({ description: 'RFC 7644, section 3.4.2.2: `userName eq "ada@example.com"`.' })),
  startIndex: maybe(Type.Integer({ description: 'Counted from 1.' })),
  count: maybe(Type.Integer({ description: `${resourcesDefault} when absent, at most ${resourcesMax}.` })),
  sortBy: maybe(Text),
  sortOrder: maybe(Type.Enum(['ascending', 'descending'])),
}

export const listQuery = Type.Object({ ...searchMembers, ...projectionQuery.properties })

export const searchBody = Type.Object(
  {
    schemas: Names,
    ...searchMembers,
    attributes: maybe(Names),
    excludedAttributes: maybe(Names),
  },
  { title: 'scim_search' },
)
