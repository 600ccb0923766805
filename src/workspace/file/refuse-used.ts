import type { Tx } from '../../base/db/db.ts'
import { conflict } from '../../base/errors.ts'
import { type Ability, isAbility } from '../../base/http/abilities.ts'
import type { ConfigSection, EntryUser } from './config-section.ts'

/** The users of an entry that a refusal names; the others are counted. */
export const usersNamedMax = 20

/** Throws 409 while something uses an entry. `may`: what the caller may do; users that the caller may not read are only counted. */
export async function refuseUsed(
  tx: Tx,
  sections: readonly ConfigSection[],
  {
    section,
    workspace_id,
    id,
  }: { readonly section: ConfigSection; readonly workspace_id: number; readonly id: string },
  may: ((ability: Ability) => boolean) | undefined,
): Promise<void> {
  const users = (await section.findUsers?.(tx, workspace_id, id)) ?? []
  if (users.length === 0) return
  const nouns = new Map(sections.map(({ name, one }) => [name, one.replaceAll('_', ' ')]))
  const readable = users.filter(({ kind }) => {
    const ability = `${kind}.read`
    return may === undefined || (isAbility(ability) && may(ability))
  })
  const named = readable.slice(0, usersNamedMax)
  const words = named.map(({ kind, name }: EntryUser) => `${nouns.get(kind) ?? kind} ${JSON.stringify(name)}`)
  const others = users.length - named.length
  const all = others === 0 ? words : [...words, `${others} ${words.length === 0 ? 'that you may not see' : 'more'}`]
  const them = users.length === 1 ? 'it' : 'them'
  throw conflict(`The ${section.one.replaceAll('_', ' ')} is used by ${all.join(', ')}: change or delete ${them} first`)
}
