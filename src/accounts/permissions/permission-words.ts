import { type Ability, abilities } from '../../base/http/abilities.ts'
import { abilitiesOf, needsViewPii } from './abilities.ts'
import { type PermissionLevel, permissionNames } from './permission-names.ts'

/** What the nouns of abilities are called on the screen, by the group in which permissions are listed. */
const nounsByGroup: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Flows: {
    canvases: 'canvases',
    campaigns: 'campaigns',
    dispatches: 'sends',
  },
  People: {
    people: 'people',
    segments: 'segments',
    subscription_groups: 'subscription groups',
    sign_up_forms: 'sign-up forms',
    suppressions: 'suppressions',
    messages: 'messages',
    work: 'merges and deletions that were accepted',
  },
  Content: {
    content_blocks: 'content blocks',
    email_templates: 'e-mail templates',
    catalogs: 'catalogs',
  },
  Machine: {
    api_keys: 'API keys',
    apps: 'apps',
    credentials: 'credentials',
    dkim_keys: 'keys of mail domains',
    webhooks: 'webhooks',
    feed: 'the feed of events',
    requests: 'the API log',
    backups: 'backups',
  },
  'Settings and access': {
    settings: 'settings',
    usage: 'figures of use',
    teams: 'teams',
    roles: 'roles',
    permission_sets: 'permission sets',
    workspace: 'the workspace itself',
    workspaces: 'workspaces',
    accounts: 'accounts',
    sessions: 'sessions',
    scim_tokens: 'SCIM tokens',
    audit: 'the audit',
    inbox: 'the inbox',
    file: 'the workspace file',
    clock: 'the clock',
    emulator: 'the emulator',
    session: 'the own account',
  },
}

const nouns = new Map(Object.values(nounsByGroup).flatMap((group) => Object.entries(group)))

/** The verbs that stand before their noun. */
const verbs: Readonly<Record<string, string>> = {
  read: 'see',
  create: 'make',
  edit: 'edit',
  end: 'archive or delete',
  launch: 'launch',
  export: 'export',
  merge: 'merge',
}

/** Abilities that need a phrase of their own. */
const phrases: Readonly<Partial<Record<Ability, string>>> = {
  'people.end': 'delete people',
  'people.import': 'import and update people',
  'suppressions.edit': 'add and take back suppressions',
  'work.act': 'retry and discard failed work',
  'dispatches.act': 'pause, resume and cancel sends',
  'messages.resend': 'send uncertain messages again',
  'messages.test': 'send tests of messages',
  'clock.move': 'move the virtual clock',
  'emulator.use': 'reset the emulator, order faults and read the requests it got',
  'file.apply': 'apply the workspace file',
  'inbox.empty': 'empty the inbox',
  'sessions.end': 'end sessions',
}

/** Permissions whose abilities do not say what they are for. */
const special: Readonly<Record<string, string>> = {
  'company admin': 'Everything, in every workspace.',
  'workspace admin': 'Everything in the workspace.',
  'workspace view_pii': 'See personal data, where another permission shows it.',
}

/** One permission in plain words. */
export type PermissionInWords = {
  readonly permission: string
  readonly group: string
  readonly allows: string
  /** Whether it allows anything here. */
  readonly applies: boolean
  /** Whether a part of it shows personal data, and applies only together with `view_pii`. */
  readonly needs_view_pii: boolean
}

const general = 'General'
const withoutGroup = 'Without effect'
/** Permissions that are about everything. */
const generalNames: ReadonlySet<string> = new Set(['admin', 'basic_access', 'view_pii'])

/** Returns the sentences that say what abilities allow, the nouns in a fixed order. Pure. */
export function sentencesOf(held: ReadonlySet<Ability>): string[] {
  const found = [...nouns.keys()].map((noun) => {
    const own = abilities.filter((ability) => held.has(ability) && ability.startsWith(`${noun}.`))
    const plain = own.flatMap((ability) => (phrases[ability] ? [] : [verbs[ability.slice(noun.length + 1)]!]))
    return { noun, plain: joined(plain), more: own.flatMap((ability) => phrases[ability] ?? []) }
  })
  const byVerbs = Map.groupBy(
    found.filter(({ plain }) => plain !== ''),
    ({ plain }) => plain,
  )
  const plain = [...byVerbs].map(([verb, list]) => `${verb} ${joined(list.map(({ noun }) => nouns.get(noun)!))}`)
  return [...plain, ...found.flatMap(({ more }) => more)].map(asSentence)
}

/** Returns what one ability allows, such as "launch canvases". Pure. */
export function phraseOf(ability: Ability): string {
  const [noun = '', verb = ''] = ability.split('.')
  return phrases[ability] ?? `${verbs[verb]} ${nouns.get(noun)}`
}

/** Returns what the permissions of a level allow together. Names without effect add nothing. Pure. */
export function allowedBy(names: readonly string[], level: PermissionLevel): string[] {
  if (level !== 'team' && names.includes('admin')) return [special[`${level} admin`]!]
  return sentencesOf(abilitiesOf(names, level))
}

const levels = ['company', 'workspace'] as const
const inWords = new Map(levels.map((level) => [level, permissionNames[level].map((name) => describe(name, level))]))

/** Returns all permissions of a level in plain words. */
export function permissionsInWords(level: 'company' | 'workspace'): readonly PermissionInWords[] {
  return inWords.get(level)!
}

/** Returns the permissions of a level that give an ability, without `admin`, which gives them all. Pure. */
export function permissionsThatGive(ability: Ability, level: 'company' | 'workspace'): string[] {
  return permissionNames[level].filter((name) => name !== 'admin' && fully(name, level).has(ability))
}

function describe(permission: string, level: 'company' | 'workspace'): PermissionInWords {
  const given = fully(permission, level)
  const own = special[`${level} ${permission}`]
  return {
    permission,
    group: generalNames.has(permission) ? general : groupOf(given),
    allows: own ?? (given.size === 0 ? 'Nothing: Easel has nothing that it applies to.' : sentencesOf(given).join(' ')),
    applies: own !== undefined || given.size > 0,
    needs_view_pii: level === 'workspace' && permission !== 'admin' && [...given].some(needsViewPii),
  }
}

/** What a permission gives, with `view_pii`. */
function fully(permission: string, level: PermissionLevel): ReadonlySet<Ability> {
  return abilitiesOf(level === 'workspace' ? [permission, 'view_pii'] : [permission], level)
}

/** Returns the group in which most abilities of a permission are; the first of those that have as many. */
function groupOf(given: ReadonlySet<Ability>): string {
  if (given.size === 0) return withoutGroup
  const counts = Object.entries(nounsByGroup).map(([group, own]) => ({
    group,
    count: [...given].filter((ability) => Object.hasOwn(own, ability.slice(0, ability.indexOf('.')))).length,
  }))
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).group
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
