import {
  daysWords,
  includesNone,
  numberWords,
  quoted,
  type Subject,
  testWords,
  timesWords,
  timeWords,
  type Zone,
} from './phrases.ts'
import {
  childrenOf,
  type HistoryFilter,
  type Leaf,
  type Presence,
  type StandardText,
  type StandardTime,
  type TimeTest,
  type Tree,
} from './tree.ts'
import { type ComparingLeaf, comparesAttribute, holdsWhenUnset } from './unset-attributes.ts'

/**
 * How a tree is written as a sentence. Days and times of day are those of `zone`, an IANA time zone; UTC when absent. What has no name is
 * written with its id.
 */
export type Wording = {
  readonly zone?: Zone
  readonly segmentName?: (idOrName: string) => string | undefined
  readonly groupName?: (id: string) => string | undefined
}

/** Returns a full sentence that says who is in a segment with these conditions. */
export function describeMembership(tree: Tree, wording: Wording = {}): string {
  const words = describeTree(tree, wording)
  if (words === everybody) return 'Everybody is in this segment.'
  if (words === nobody) return 'Nobody is in this segment.'
  return `People are in this segment when: ${words}.`
}

const everybody = 'everybody'
const nobody = 'nobody'

type Described = { readonly words: string; readonly joint: 'and' | 'or' | undefined }

/**
 * Returns a tree as an English sentence without a full stop: "`plan` is `gold` and last used the app after the start of 3 March 2026".
 * Nested groups are in brackets, and so are remarks on people without a value, so that different trees have different sentences. A negation
 * has a remark when it may hold because an attribute is not set. A nested segment is its name.
 */
export function describeTree(tree: Tree, wording: Wording = {}): string {
  return describe(tree, wording).words
}

function describe(tree: Tree, wording: Wording): Described {
  if ('all' in tree) return join('and', tree.all, everybody, wording)
  if ('any' in tree) return join('or', tree.any, nobody, wording)
  if ('not' in tree) {
    return 'not' in tree.not
      ? describe(tree.not.not, wording)
      : { words: notWords(tree.not, wording), joint: undefined }
  }
  return { words: describeLeaf(tree, wording), joint: undefined }
}

function join(joint: 'and' | 'or', children: readonly Tree[], none: string, wording: Wording): Described {
  if (children.length === 0) return { words: none, joint: undefined }
  const parts = children.map((child) => describe(child, wording))
  if (parts.length === 1) return parts[0]!
  const phrases = parts.map((part) =>
    part.joint === undefined || part.joint === joint ? part.words : `(${part.words})`,
  )
  return { words: phrases.join(` ${joint} `), joint }
}

function notWords(tree: Tree, wording: Wording): string {
  if ('kind' in tree && tree.kind === 'segment') return `is not in ${segmentWords(tree, wording)}`
  if ('kind' in tree && tree.kind === 'subscription_group') {
    return `is not ${groupWords(tree, wording)}`
  }
  if ('kind' in tree && tree.kind === 'cohort') return `is not in ${cohortWords(tree)}`
  return `not (${describe(tree, wording).words})${unsetRemark(tree)}`
}

/** Returns a remark that names the attributes without which the negation of a tree may hold. */
function unsetRemark(tree: Tree): string {
  const names = [...new Set(namesWhenUnset(tree))]
  return names.length === 0 ? '' : ` (also when ${names.join(' or ')} is not set)`
}

/** Yields the names of the attributes that do not fulfil their comparison when they are not set. Inner negations have their own remarks. */
function* namesWhenUnset(tree: Tree): Generator<string> {
  if ('not' in tree) return
  if (!('kind' in tree)) for (const child of childrenOf(tree)) yield* namesWhenUnset(child)
  else if (comparesAttribute(tree) && !holdsWhenUnset(tree) && !isAlwaysSet(tree)) yield attributeName(tree)
}

function attributeName(leaf: ComparingLeaf): string {
  switch (leaf.kind) {
    case 'custom_attribute':
      return pathWords(leaf.path)
    case 'standard_attribute':
      return textNames[leaf.field]
    case 'standard_time':
      return timeNames[leaf.field].name
    case 'device':
      return deviceNames[leaf.field]
  }
}

function isAlwaysSet(leaf: ComparingLeaf): boolean {
  return leaf.kind === 'standard_time' && leaf.field === 'created_at'
}

/** Returns one leaf in words. */
export function describeLeaf(leaf: Leaf, wording: Wording = {}): string {
  const { zone = 'UTC' } = wording
  switch (leaf.kind) {
    case 'custom_attribute':
      return testWords(attributeSubject(leaf.path), leaf.test, zone)
    case 'standard_attribute':
      return testWords({ one: textNames[leaf.field] }, leaf.test, zone)
    case 'standard_time':
      return momentWords(timeNames[leaf.field], leaf.test, zone)
    case 'subscription_status':
      return `${channelNames[leaf.channel]} state is ${leaf.is ? '' : 'not '}${quoted(leaf.state)}`
    case 'subscription_group':
      return `is ${groupWords(leaf, wording)}`
    case 'cohort':
      return `is in ${cohortWords(leaf)}`
    case 'used_app':
      return momentWords(useNames(leaf.which, leaf.app_id), leaf.test, zone)
    case 'device':
      return testWords({ each: deviceNames[leaf.field] }, leaf.test, zone)
    case 'occurrences':
      return historyCountWords(leaf, zone)
    case 'occurrence_time':
      return `${leaf.which} ${historyWords(leaf.what, zone)}${withinWords(leaf.what)} ${timeWords(leaf.test, zone)}`
    case 'total_revenue':
      return `total revenue ${numberWords(leaf.test)}`
    case 'session_count':
      return `session count ${numberWords(leaf.test)}${sessionRemark(leaf)}`
    case 'random_bucket':
      return `random bucket ${numberWords(leaf.test)}`
    case 'last_message':
      return momentWords(messageNames(leaf.channel), leaf.test, zone)
    case 'segment':
      return `is in ${segmentWords(leaf, wording)}`
  }
}

/** The phrases for a thing that happened once: with a time, that it happened, and that it did not. */
type Happening = { readonly did: string; readonly has: string; readonly hasNot: string }

function momentWords({ did, has, hasNot }: Happening, test: TimeTest | Presence, zone: Zone): string {
  if ('days' in test || 'ms' in test) return `${did} ${timeWords(test, zone)}`
  return test.comparison === 'exists' ? has : hasNot
}

/** `plan`, or `price` in `orders`. A nested attribute may have several values, in a list. */
function attributeSubject(path: readonly string[]): Subject {
  const words = pathWords(path)
  return path.length === 1 ? { one: words } : { each: words }
}

function pathWords(path: readonly string[]): string {
  return path.map(quoted).reverse().join(' in ')
}

const textNames: Readonly<Record<StandardText, string>> = {
  external_id: 'external id',
  email: 'e-mail address',
  phone: 'phone number',
  first_name: 'first name',
  last_name: 'last name',
  gender: 'gender',
  dob: 'date of birth',
  country: 'country',
  home_city: 'home city',
  language: 'language',
  time_zone: 'time zone',
}

const timeNames: Readonly<Record<StandardTime, Happening & { readonly name: string }>> = {
  created_at: {
    name: 'time of creation',
    did: 'was created',
    has: 'time of creation is set',
    hasNot: 'time of creation is not set',
  },
  marked_email_as_spam_at: {
    name: 'time of marking e-mail as spam',
    did: 'marked e-mail as spam',
    has: 'marked e-mail as spam at some time',
    hasNot: 'never marked e-mail as spam',
  },
  date_of_first_session: {
    name: 'date of first session',
    did: 'had the first session',
    has: 'date of first session is set',
    hasNot: 'date of first session is not set',
  },
  date_of_last_session: {
    name: 'date of last session',
    did: 'had the last session',
    has: 'date of last session is set',
    hasNot: 'date of last session is not set',
  },
}

const channelNames = { email: 'e-mail subscription', push: 'push subscription' } as const
const deviceNames = { model: 'device model', os: 'device system', carrier: 'device carrier' } as const

function useNames(which: 'first' | 'last', app_id: string | undefined): Happening {
  const app = app_id === undefined ? 'the app' : `the app ${quoted(app_id)}`
  return { did: `${which} used ${app}`, has: `has a ${which} use of ${app}`, hasNot: `has no ${which} use of ${app}` }
}

function messageNames(channel: 'email' | 'webhook' | undefined): Happening {
  const message = { email: 'an e-mail', webhook: 'a webhook', any: 'a message' }[channel ?? 'any']
  return {
    did: `last received ${message}`,
    has: `received ${message} at some time`,
    hasNot: `never received ${message}`,
  }
}

function historyCountWords({ what, times }: Extract<Leaf, { kind: 'occurrences' }>, zone: Zone): string {
  const did = historyWords(what, zone)
  const within = withinWords(what)
  if (times.comparison === 'equals' && times.number === 0) return `never ${did}${within}`
  return `${did} ${timesWords(times)}${within}${includesNone(times) ? ' (or never)' : ''}`
}

/** Returns `performed` an event or `bought` a product, with the tests of the properties in brackets. */
function historyWords({ of, name, properties }: HistoryFilter, zone: Zone): string {
  const verb = of === 'event' ? 'performed' : 'bought'
  const object = name === undefined ? { event: 'any event', purchase: 'anything' }[of] : quoted(name)
  if (properties.length === 0) return `${verb} ${object}`
  const tests = properties.map((property) => testWords({ one: quoted(property.name) }, property.test, zone))
  return `${verb} ${object} (where ${tests.join(' and ')})`
}

function withinWords({ days }: HistoryFilter): string {
  return days === undefined ? '' : ` in the last ${days === 1 ? 'day' : daysWords(days)}`
}

function sessionRemark({ test, onlyWithSessions }: Extract<Leaf, { kind: 'session_count' }>): string {
  if (onlyWithSessions) return ' (and is not 0)'
  return includesNone(test) ? ' (or no session was had)' : ''
}

type LeafOf<Kind extends Leaf['kind']> = Extract<Leaf, { kind: Kind }>

function segmentWords({ segment_id, name }: LeafOf<'segment'>, { segmentName }: Wording): string {
  const known = segmentName?.(segment_id) ?? name
  return known === undefined ? `the segment with the id or name ${quoted(segment_id)}` : `the segment ${quoted(known)}`
}

function groupWords({ state, subscription_group_id }: LeafOf<'subscription_group'>, { groupName }: Wording): string {
  return `${quoted(state)} in subscription group ${quoted(groupName?.(subscription_group_id) ?? subscription_group_id)}`
}

function cohortWords({ partner, cohort_id }: Extract<Leaf, { kind: 'cohort' }>): string {
  return `the cohort ${quoted(cohort_id)} of ${quoted(partner)}`
}
