import Type from 'typebox'

const Held = Type.Array(Type.String({ description: 'What admin routes ask for: `<noun>.<verb>`' }))

export const SessionReply = Type.Object({
  account: Type.Union([
    Type.Object({
      id: Type.String(),
      user_name: Type.String(),
      given_name: Type.String(),
      family_name: Type.String(),
      department: Type.Union([Type.String(), Type.Null()]),
      last_sign_in_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      permissions: Type.Object({}, { description: 'As SCIM shows them' }),
    }),
    Type.Null({ description: 'Who asks with the admin token has no account' }),
  ]),
  csrf_token: Type.Union([Type.String(), Type.Null()], {
    description: 'To be sent as `X-CSRF-Token` with every write; null with the admin token, which needs none',
  }),
  abilities: Held,
  workspaces: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), abilities: Held }), {
    description: 'Those that may be seen at all, oldest first',
  }),
})
