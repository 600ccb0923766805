/**
 * The scope of an ability. `session`: every signed-in account has it · `workspace`: an account has it in some workspaces · `company`: an
 * account has it for all workspaces or not at all.
 */
export type AbilityScope = 'session' | 'workspace' | 'company'

/** What can be done to the entries of a config section; `end` is to delete or archive one. */
const readEditEnd = ['read', 'edit', 'end'] as const

/** Every ability by noun: the closed list for admin routes. */
const byScope = {
  session: { session: ['read'], clock: ['read'] },
  workspace: {
    workspace: ['edit'],
    settings: ['read', 'edit'],
    usage: ['read'],
    people: ['read', 'edit', 'merge', 'end', 'export', 'import'],
    suppressions: ['read', 'edit'],
    work: ['read', 'act'],
    requests: ['read'],
    dispatches: ['read', 'act'],
    messages: ['read', 'resend', 'test'],
    canvases: [...readEditEnd, 'launch'],
    campaigns: [...readEditEnd, 'launch'],
    segments: readEditEnd,
    content_blocks: [...readEditEnd, 'launch'],
    email_templates: readEditEnd,
    catalogs: readEditEnd,
    subscription_groups: readEditEnd,
    sign_up_forms: readEditEnd,
    apps: readEditEnd,
    api_keys: readEditEnd,
    credentials: readEditEnd,
    dkim_keys: readEditEnd,
    webhooks: readEditEnd,
    feed: ['read'],
    teams: readEditEnd,
    roles: readEditEnd,
    permission_sets: readEditEnd,
  },
  company: {
    clock: ['move'],
    emulator: ['use'],
    file: ['apply'],
    backups: ['read', 'create'],
    workspaces: ['read', 'create'],
    // The inbox has links for signing in, so reading it needs an ability for the company.
    inbox: ['read', 'empty'],
    audit: ['read'],
    accounts: ['read', 'edit'],
    sessions: ['read', 'end'],
    scim_tokens: ['read', 'edit'],
  },
} as const satisfies Readonly<Record<AbilityScope, Readonly<Record<string, readonly string[]>>>>

type Of<Nouns> = {
  [Noun in keyof Nouns & string]: `${Noun}.${Nouns[Noun] extends readonly (infer V extends string)[] ? V : never}`
}[keyof Nouns & string]

/** `<noun>.<verb>`: what a signed-in account needs at an admin route. */
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
