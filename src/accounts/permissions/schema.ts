import Type from 'typebox'
import { Id, Name } from '../../workspace/settings/schema.ts'

export const teamsMax = 1000
export const bundlesMax = 1000
const bundleNamesMax = 1000

const exact = { additionalProperties: false }

export const TeamShape = Type.Object(
  { id: Type.Optional(Id), name: Name },
  { ...exact, description: 'an object with name' },
)

export const BundleShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Name,
    permissions: Type.Array(
      Type.String({
        pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$',
        description: 'the name of a workspace permission such as basic_access',
      }),
      {
        uniqueItems: true,
        maxItems: bundleNamesMax,
        description: `a list of at most ${bundleNamesMax} different workspace permissions such as [basic_access, edit_segments]`,
      },
    ),
  },
  { ...exact, description: 'an object with name and permissions' },
)
