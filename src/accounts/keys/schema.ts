import Type from 'typebox'
import { everyPermission, permissions } from '../../base/http/permissions.ts'
import { Id, Name } from '../../workspace/settings/schema.ts'
import { isIpOrNetwork } from './allowed-ips.ts'

/** The most API keys of a workspace. */
export const apiKeysMax = 500
const allowedIpsMax = 100
/** The name of the API key that is given by the variable of the same name. */
export const environmentKeyName = 'EASEL_API_KEY'
/** The name of the API key that the first start makes when the environment has none. */
export const firstKeyName = 'First key'

const exact = { additionalProperties: false }

export const AllowedIps = Type.Array(
  Type.Refine(Type.String({ description: 'an IP address or a network such as 10.0.0.0/8' }), isIpOrNetwork),
  { maxItems: allowedIpsMax, description: `a list of at most ${allowedIpsMax} IP addresses or networks` },
)

export const KeyShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Name,
    key: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{8,255}$',
        description: '8 to 255 visible ASCII characters',
        writeOnly: true,
      }),
    ),
    permissions: Type.Array(
      Type.Enum([everyPermission, ...permissions], {
        description: `a permission such as users.track, or ${everyPermission} for all`,
      }),
      {
        minItems: 1,
        uniqueItems: true,
        description: `a list of different permissions such as [users.track, users.export.ids], or ["${everyPermission}"] for all`,
      },
    ),
    allowed_ips: Type.Optional(AllowedIps),
    strict: Type.Optional(
      Type.Boolean({ description: 'true or false: whether an object is refused when a part of it would not be kept' }),
    ),
  },
  { ...exact, description: 'an object with name and permissions' },
)

/** What answers also have of a key. */
export const StoredKey = Type.Object({
  allowed_ips: AllowedIps,
  strict: Type.Boolean(),
  key_start: Type.String({ description: 'The first characters of the key, by which its holder recognises it' }),
  created_at: Type.String({ format: 'date-time' }),
  last_used_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Written every minute; null for a key that was never used',
  }),
})
