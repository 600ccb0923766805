/**
 * Where an ability is held: `session` by everybody who has signed in, `workspace` in the workspace that a request names, `company`
 * over the whole installation only.
 */
export type AbilityScope = 'session' | 'workspace' | 'company'

/** What a kind of configuration can have done to it; `end` is to delete or archive an entry. */
const readEditEnd = ['read', 'edit', 'end'] as const

/** Every ability by noun: the closed list that admin routes are checked against. Who has which: `accounts/abilities.ts`. */
const byScope = {
  session: { session: ['read'], clock: ['read'] },
  workspace: {
    workspace: ['edit'],
    settings: ['read', 'edit'],
    people: ['read', 'export', 'import'],
    suppressions: ['read', 'edit'],
    work: ['read'],
    dispatches: ['read', 'act'],
    messages: ['read', 'resend'],
    canvases: [...readEditEnd, 'launch'],
    campaigns: [...readEditEnd, 'launch'],
    segments: readEditEnd,
    content_blocks: [...readEditEnd, 'launch'],
    email_templates: readEditEnd,
    catalogs: readEditEnd,
    subscription_groups: readEditEnd,
    apps: readEditEnd,
    api_keys: readEditEnd,
    credentials: readEditEnd,
    dkim_keys: readEditEnd,
    teams: readEditEnd,
    roles: readEditEnd,
    permission_sets: readEditEnd,
  },
  company: {
    clock: ['move'],
    file: ['apply'],
    workspaces: ['read', 'create'],
    // Links for signing in lie in the inbox.
    inbox: ['read', 'empty'],
    audit: ['read'],
    sessions: ['read', 'end'],
    scim_tokens: ['read', 'edit'],
  },
} as const satisfies Readonly<Record<AbilityScope, Readonly<Record<string, readonly string[]>>>>

type Of<Nouns> = {
  [Noun in keyof Nouns & string]: `${Noun}.${Nouns[Noun] extends readonly (infer V extends string)[] ? V : never}`
}[keyof Nouns & string]

/** `<noun>.<verb>`: what an admin route asks of somebody who has signed in. */
export type Ability = { [Scope in AbilityScope]: Of<(typeof byScope)[Scope]> }[AbilityScope]

const scopes: ReadonlyMap<string, AbilityScope> = new Map(
  Object.entries<Readonly<Record<string, readonly string[]>>>(byScope).flatMap(([scope, nouns]) =>
    Object.entries(nouns).flatMap(([noun, verbs]) =>
      verbs.map((verb) => [`${noun}.${verb}`, scope as AbilityScope] as const),
    ),
  ),
)

export const abilities: readonly Ability[] = [...scopes.keys()] as Ability[]

export function isAbility(text: unknown): text is Ability {
  return typeof text === 'string' && scopes.has(text)
}

export function scopeOf(ability: Ability): AbilityScope {
  return scopes.get(ability)!
}
