import Type from 'typebox'

const Held = Type.Array(Type.String({ description: 'An ability that an admin route needs: `<noun>.<verb>`' }))

export const SessionReply = Type.Object({
  account: Type.Union([
    Type.Object({
      id: Type.String(),
      user_name: Type.String(),
      given_name: Type.String(),
      family_name: Type.String(),
      department: Type.Union([Type.String(), Type.Null()]),
      last_sign_in_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      permissions: Type.Object({}, { description: 'As in answers of SCIM' }),
    }),
    Type.Null({ description: 'null for a request with the admin token' }),
  ]),
  csrf_token: Type.Union([Type.String(), Type.Null()], {
    description: 'The value of the header `X-CSRF-Token` of every write; null for the admin token, which needs none',
  }),
  abilities: Held,
  workspaces: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), time_zone: Type.String(), abilities: Held }),
    {
      description: 'The workspaces that the account may see, oldest first',
    },
  ),
})
