import Type from 'typebox'
import { Id, Name } from '../../workspace/settings/schema.ts'

export const credentialsMax = 500
export const originsMax = 100
const passwordCharactersMax = 1024
const userNameCharactersMax = 255
export const dkimKeysMax = 500
const pemCharactersMax = 16_384

/** A user name and a password for Basic authentication. */
export type StoredCredential = {
  readonly id: string
  readonly name: string
  readonly user_name: string
  readonly password: string
  /** The origins to which it may be sent, such as `https://files.example.com`; at least one. */
  readonly origins: readonly string[]
}

/** The key that signs mail from the domain `name` and its subdomains. */
export type DkimKey = {
  readonly id: string
  readonly name: string
  readonly selector: string
  /** RSA or Ed25519 as PEM that begins with `BEGIN PRIVATE KEY`. */
  readonly private_key: string
}

/** The rules for secrets, for the error if one is missing. */
export const passwordText = `1 to ${passwordCharactersMax} characters without line breaks`
export const originsText = `a list of 1 to ${originsMax} different origins such as https://files.example.com`
export const privateKeyText = 'a private key in PEM, RSA of 1024 to 4096 bits or Ed25519'

const exact = { additionalProperties: false }
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

const origin = Type.Refine(
  Type.String({ description: 'an origin such as https://files.example.com, without a path' }),
  (text) => /^https?:/.test(text) && URL.parse(text)?.origin === text,
)

/** An entry of `credentials`. */
export const CredentialShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Name,
    user_name: Type.String({
      pattern: `^[^:\\p{Cc}]{1,${userNameCharactersMax}}$`,
      description: `1 to ${userNameCharactersMax} characters without colons and line breaks`,
    }),
    password: Type.Optional(
      Type.String({
        pattern: `^[^\\p{Cc}]{1,${passwordCharactersMax}}$`,
        description: passwordText,
        writeOnly: true,
      }),
    ),
    origins: Type.Optional(
      Type.Array(origin, {
        minItems: 1,
        maxItems: originsMax,
        uniqueItems: true,
        description: originsText,
      }),
    ),
  },
  { ...exact, description: 'an object with name, user_name, password and origins' },
)

/** An entry of `dkim_keys`. */
export const DkimKeyShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Type.String({
      pattern: `^(?=.{1,253}$)(${label}\\.)+${label}$`,
      description: 'a domain in lower case such as example.com, in its ASCII form',
    }),
    selector: Type.String({
      pattern: `^(?=.{1,100}$)${label}(\\.${label})*$`,
      description: 'a DKIM selector such as easel1: lower-case letters, digits and dashes',
    }),
    private_key: Type.Optional(
      Type.String({
        maxLength: pemCharactersMax,
        description: privateKeyText,
        writeOnly: true,
      }),
    ),
  },
  { ...exact, description: 'an object with name (the domain), selector and private_key' },
)
