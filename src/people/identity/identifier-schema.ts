import Type from 'typebox'

export const UserAlias = Type.Object(
  { alias_name: Type.String(), alias_label: Type.String() },
  { description: 'A name that is unique under its label', title: 'user_alias' },
)
