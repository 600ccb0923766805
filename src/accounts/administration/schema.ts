import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { accountStates } from '../accounts/account-search-store.ts'

export const accountPageDefault = 50
export const accountPageMax = 200
/** The most characters of a search. */
export const searchCharactersMax = 200
/** The most administrators that are named to an account that lacks a permission. */
export const giversMax = 5
/** The most permissions of which one request asks what they allow together. */
export const togetherMax = 300
const nameCharactersMax = 255

const exact = { additionalProperties: false }
const maybe = Type.Optional
const Moment = Type.String({ format: 'date-time' })
const OrNull = <const S extends object>(schema: S) => Type.Union([schema, Type.Null()])
const TextOrNull = OrNull(Type.String())
const Sentences = Type.Array(Type.String(), { description: 'In plain words' })
const ConfirmOwn = (description: string) => maybe(Type.Boolean({ description }))

const PersonName = (whose: string) =>
  Type.String({
    pattern: `^[^\\u0000-\\u001f\\u007f]{0,${nameCharactersMax}}$`,
    description: `the ${whose} name of the person, at most ${nameCharactersMax} characters`,
  })
const GivenName = Type.String({
  pattern: `^(?=.*\\S)[^\\u0000-\\u001f\\u007f]{1,${nameCharactersMax}}$`,
  description: `the first name of the person, 1 to ${nameCharactersMax} characters`,
})
const UserName = Type.String({ description: 'an e-mail address, with which the person signs in' })
const Department = OrNull(Type.String({ description: 'one of `settings.departments`' }))
const Permissions = Type.Object(
  {},
  { description: 'an object with permissions as SCIM has them: companyPermissions, roles, appGroup' },
)

export const InviteShape = Type.Object(
  {
    user_name: UserName,
    given_name: GivenName,
    family_name: maybe(PersonName('last')),
    department: maybe(Department),
    permissions: maybe(Permissions),
    send_link: maybe(
      Type.Boolean({ description: 'true or false: whether a link to sign in is mailed; true when absent' }),
    ),
  },
  { ...exact, description: 'an object with user_name and given_name' },
)
export type Invite = Static<typeof InviteShape>

export const AccountPatchShape = Type.Object(
  {
    user_name: maybe(UserName),
    given_name: maybe(GivenName),
    family_name: maybe(PersonName('last')),
    department: maybe(Department),
    active: maybe(Type.Boolean({ description: 'true or false: whether the account may sign in' })),
    permissions: maybe(Permissions),
    confirm_own: ConfirmOwn('true or false: whether an account may take rights from itself, or sign itself out'),
  },
  { ...exact, description: 'an object with the properties that change' },
)
export type AccountPatch = Static<typeof AccountPatchShape>

export const AccountsQuery = Type.Object({
  q: maybe(Type.String({ maxLength: searchCharactersMax, description: 'A part of the name or of the e-mail address' })),
  state: maybe(Type.Enum([...accountStates], { description: '`active` has signed in before, `invited` has not yet' })),
  role: maybe(Type.String({ description: 'Only accounts with the role that has this id' })),
  permission_set: maybe(Type.String({ description: 'Only accounts with this permission set of `workspace`' })),
  team: maybe(Type.String({ description: 'Only accounts with permissions for this team of `workspace`' })),
  workspace,
  ...paging(accountPageDefault, accountPageMax),
})

const listed = {
  id: Type.String(),
  user_name: Type.String({ description: 'The e-mail address with which the person signs in' }),
  given_name: Type.String(),
  family_name: Type.String(),
  department: TextOrNull,
  state: Type.Enum([...accountStates]),
  is_administrator: Type.Boolean({ description: 'Whether it is active and may do everything' }),
  sentence: Type.String({ description: 'What it has, in plain words' }),
  last_sign_in_at: OrNull(Moment),
  created_at: Moment,
}

export const AccountsReply = Type.Object({
  accounts: Type.Array(Type.Object(listed), { description: 'By their names' }),
  total: Type.Integer({ description: 'All accounts that match' }),
  cursor: OrNull(Type.String({ description: 'The `cursor` of the next page; null on the last page' })),
})

const Source = Type.Object({
  kind: Type.Enum(['permissions', 'role', 'permission_set']),
  id: TextOrNull,
  name: TextOrNull,
  permissions: Type.Array(Type.String()),
})

const Account = Type.Object({
  ...listed,
  display_name: TextOrNull,
  mail_to: Type.String({ description: 'The address to which its links are mailed' }),
  is_provisioned: Type.Boolean({ description: 'Whether an identity provider knows it (`externalId`)' }),
  is_own: Type.Boolean({ description: 'Whether it makes this request' }),
  updated_at: Moment,
  permissions: Type.Object({}, { description: 'As in answers of SCIM' }),
  allows: Sentences,
  workspaces: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      allows: Sentences,
      sources: Type.Array(Source, { description: 'What gives it permissions there' }),
      teams: Type.Array(
        Type.Object({ id: Type.String(), name: Type.String(), permissions: Type.Array(Type.String()) }),
      ),
    }),
  ),
})
export type AccountReply = Static<typeof Account>

export const OneAccountReply = Type.Object({ account: Account })

const MailedLink = Type.Object({
  to: Type.String({ description: 'The address to which the link was mailed' }),
  expires_at: Type.String({ format: 'date-time', description: 'Until when the link works once, in machine time' }),
})
export const MailedLinkReply = Type.Object({ link: MailedLink })
export const InvitedReply = Type.Object({
  account: Account,
  link: OrNull(MailedLink),
  link_refusal: OrNull(Type.String({ description: 'Why no link could be mailed; the account is made all the same' })),
})

export const DeleteQuery = Type.Object({
  confirm_own: maybe(Type.Enum(['true', 'false'], { description: 'true: the account may delete itself' })),
})

const Permission = Type.Object({
  permission: Type.String(),
  group: Type.String({ description: 'The heading under which it is listed' }),
  allows: Type.String({ description: 'What it allows, in plain words' }),
  applies: Type.Boolean({ description: 'Whether Easel has something that it applies to' }),
  needs_view_pii: Type.Boolean({
    description: 'Whether a part of it shows personal data, and applies only together with view_pii',
  }),
})
export const PermissionsReply = Type.Object({
  company: Type.Array(Permission),
  workspace: Type.Array(Permission),
  team: Type.Array(Type.String(), { description: 'Permissions for teams; they are kept and allow nothing' }),
})

export const TogetherQuery = Type.Object({
  level: maybe(Type.Enum(['company', 'workspace'], { description: '`workspace` when absent' })),
  permissions: maybe(Type.String({ description: `At most ${togetherMax} names, separated by commas` })),
})
export const TogetherReply = Type.Object({ allows: Sentences })

export const GiversQuery = Type.Object({
  ability: Type.String({ description: 'What is lacking, as refusals name it: `canvases.launch`' }),
})
export const GiversReply = Type.Object({
  ability: Type.String(),
  allows: Type.String({ description: 'What it allows, in plain words' }),
  permissions: Type.Array(Type.String(), { description: 'Workspace permissions that give it, beside `admin`' }),
  givers: Type.Array(Type.Object({ name: Type.String() }), {
    description: `The names of at most ${giversMax} accounts that can give it`,
  }),
  more: Type.Boolean({ description: 'Whether there are further ones' }),
})

const Count = Type.Object({ id: Type.String(), accounts: Type.Integer() }, { title: 'holder_count' })
export const HoldersReply = Type.Object({
  roles: Type.Array(Count),
  permission_sets: Type.Array(Count),
  teams: Type.Array(Count),
})
