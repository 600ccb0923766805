import { useQuery } from '@tanstack/react-query'
import { type GetAdminPermissionsGiversReply, getAdminPermissionsGivers } from '../api/generated.ts'
import { reading } from '../api/queries.ts'

const freshMs = 300_000
const anybody = 'An administrator of your company can give it to you.'
const refusedAbility = /it takes ([a-z_]+\.[a-z_]+)$/

/** Returns who can give an ability; undefined until the answer is there, and without an ability. */
export function useGivers(ability: string | undefined): GetAdminPermissionsGiversReply | undefined {
  const query = reading(getAdminPermissionsGivers({ ability: ability ?? '' }))
  return useQuery({ ...query, enabled: ability !== undefined, staleTime: freshMs, retry: false }).data
}

/** Returns the sentence that says who can give a permission, by their names. */
export function giversSentence(reply: GetAdminPermissionsGiversReply | undefined): string {
  if (reply === undefined || reply.givers.length === 0) return anybody
  const names = reply.givers.map(({ name }) => name)
  if (reply.more) return `${names.join(', ')} or another administrator can give it to you.`
  return `${[names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' or ')} can give it to you.`
}

/** Returns the ability that a refusal of the server names. */
export function abilityInRefusal(message: string): string | undefined {
  return refusedAbility.exec(message)?.[1]
}

/** What a viewer lacks, in words, with which permission it comes, and who can give it. */
export function WhoCanGive({ ability }: { ability: string }) {
  const reply = useGivers(ability)
  return (
    <>
      <p>
        It takes the permission <code>{ability}</code>
        {reply && `, which allows to ${reply.allows}`}. {giversSentence(reply)}
      </p>
      {reply !== undefined && reply.permissions.length > 0 && (
        <p>
          Ask for one of:{' '}
          {reply.permissions.map((name, i) => (
            <span key={name}>
              {i > 0 && ', '}
              <code>{name}</code>
            </span>
          ))}
          .
        </p>
      )}
    </>
  )
}
