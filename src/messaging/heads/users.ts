import { finderByIdOrName } from '../../audience/segments/nesting.ts'
import type { Reference, ReferredKind } from './references.ts'
import { namedUsersMax, type User, type UserKind } from './schema.ts'

/** A thing of a workspace, and what it refers to. */
export type Referring = { readonly user: User; readonly references: readonly Reference[] }

/** Things that others refer to, by kind. */
export type Referred = Readonly<Record<ReferredKind, readonly { readonly id: string; readonly name: string }[]>>

/** What uses a thing: some by name, all counted. */
export type Users = { readonly used_by: readonly User[]; readonly used_by_count: number }

const none: Users = { used_by: [], used_by_count: 0 }

/** Leaves the first users of those that a caller may read. The others still count. */
export function nameReadable<Head extends object>(head: Head, mayRead: (kind: UserKind) => boolean): Head {
  if (!('used_by' in head)) return head
  const readable = (head.used_by as readonly User[]).filter(({ kind }) => mayRead(kind))
  return { ...head, used_by: readable.slice(0, namedUsersMax) }
}

/** Finds what uses each thing of a workspace. Words of things that do not exist are left out. Pure. */
export class UsersOf {
  readonly #users = new Map<string, User[]>()

  constructor(referred: Referred, referring: readonly Referring[]) {
    const find = {
      segments: finderByIdOrName(referred.segments),
      subscription_groups: finderById(referred.subscription_groups),
      email_templates: finderById(referred.email_templates),
      content_blocks: finderByName(referred.content_blocks),
      catalogs: finderByName(referred.catalogs),
    }
    for (const { user, references } of referring) {
      // Something may be named in two ways, by its id and by its name.
      const things = new Set(references.flatMap(({ kind, word }) => keyOf(kind, find[kind](word)?.id)))
      for (const key of things) this.#add(key, user)
    }
  }

  of(kind: ReferredKind, id: string): Users {
    const users = this.#users.get(`${kind} ${id}`)
    return users ? { used_by: users, used_by_count: users.length } : none
  }

  #add(key: string, user: User): void {
    const users = this.#users.get(key)
    if (users) users.push(user)
    else this.#users.set(key, [user])
  }
}

function keyOf(kind: ReferredKind, id: string | undefined): string[] {
  return id === undefined ? [] : [`${kind} ${id}`]
}

type Named = { readonly id: string; readonly name: string }
type Finder = (word: string) => Named | undefined

function finderById(things: readonly Named[]): Finder {
  const byId = new Map(things.map((thing) => [thing.id, thing]))
  return (id) => byId.get(id)
}

function finderByName(things: readonly Named[]): Finder {
  const byName = new Map(things.map((thing) => [thing.name, thing]))
  return (name) => byName.get(name)
}
