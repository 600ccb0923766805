import type { Person } from '../../people/identity/person.ts'
import { toTimeZone } from '../../people/values/time-zones.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { Channel, ConsentRefusal } from '../channels/channel.ts'
import { allChannels, channelOf } from '../channels/channels.ts'
import { quietUntil } from '../delivery/quiet-hours.ts'
import { percentWords } from '../flows/describe-steps.ts'
import type { Flow, Graph, MessageStep, Step } from '../flows/flow.ts'
import { assignedVariant, isInControlGroup } from '../journeys/assignment.ts'
import { checkReentry, type EarlierEntries, reentryInputs } from '../journeys/reentry.ts'
import { globalControlRefusal } from '../ledger/global-control.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { ConsentFactsRow } from './dry-run-store.ts'
import type { EvaluatedPerson } from './dry-run-tally.ts'

export type EvaluationContext = {
  readonly flow: Flow
  readonly graph: Graph
  readonly settings: Settings
  readonly nowMs: number
}

/** What decides whether one person gets messages, by channel. It has at least one. */
export type ConsentByChannel = ReadonlyMap<string, ConsentFactsRow>

/** Evaluates whether a person in segment and audience would enter and get the messages, by the rules of entering and sending. Pure. */
export function evaluatePerson(
  { flow, graph, settings, nowMs }: EvaluationContext,
  { profile_id }: Person,
  earlier: EarlierEntries,
  consent: ConsentByChannel,
): Omit<EvaluatedPerson, 'person'> {
  const [person] = consent.values().toArray() as [ConsentFactsRow]
  const again = checkReentry(graph.entry.again, earlier, nowMs)
  if (again !== undefined) return refused('already_entered', again, reentryInputs(earlier, nowMs))
  const control = globalControlRefusal(flow.class, person.random_bucket, settings)
  if (control) return refused(control.reason, control.rule!, control.inputs)
  if (isInControlGroup(flow.flow_id, profile_id, graph.controlPercent)) {
    return refused('control_group', `${percentWords(graph.controlPercent)} are in the control group`, null)
  }
  const { id: variant, first } = assignedVariant(flow.flow_id, profile_id, graph.variants)
  if (!hasMessages(graph)) return { outcome: 'would_enter', variant }
  const against = consentRefusal(graph, first, consent)
  if (against) return refused(against.reason, against.rule, against.inputs)
  if (graph.quietHours === 'skip' && isMarketing(flow, graph) && settings.quiet_hours) {
    const zone = toTimeZone(person.time_zone ?? '') ?? settings.time_zone
    const untilMs = quietUntil(settings.quiet_hours, nowMs, zone)
    const inputs = { zone, quiet_until: untilMs === undefined ? null : new Date(untilMs).toISOString() }
    if (untilMs !== undefined) return refused('quiet_hours', 'messages in quiet hours are skipped', inputs)
  }
  return { outcome: 'would_enter', variant }
}

/** Returns the channels of the messages of a flow, or the first of all when it has none. */
export function channelsOf({ steps }: Graph): Channel[] {
  const names = new Set(steps.values().flatMap((step) => (step.type === 'message' ? [step.channel] : [])))
  return names.size === 0 ? allChannels().slice(0, 1) : [...names].map(channelOf)
}

/**
 * Returns why a person may not get the message with which the variant begins. When it begins otherwise, returns why they may get none of
 * the messages.
 */
function consentRefusal(
  { steps, wanted }: Graph,
  first: string,
  consent: ConsentByChannel,
): ConsentRefusal | undefined {
  const begin = steps.get(first)
  const messages = begin?.type === 'message' ? [begin] : [...steps.values()].filter(isMessage)
  const refusals = messages.map(({ channel, content }) => {
    return channelOf(channel).consent.check(consent.get(channel), content, wanted)
  })
  return refusals.includes(undefined) ? undefined : refusals[0]
}

function isMessage(step: Step): step is MessageStep {
  return step.type === 'message'
}

/** Returns whether all messages of a flow are marketing: a channel may have none, such as webhooks. */
function isMarketing(flow: Flow, graph: Graph): boolean {
  return flow.class === 'marketing' && channelsOf(graph).every(({ onlyClass }) => onlyClass !== 'transactional')
}

/** Returns the frequency caps that apply to the flow. */
export function applicableCaps({ flow, graph, settings }: EvaluationContext): Settings['frequency_cap'] {
  if (!isMarketing(flow, graph) || !hasMessages(graph)) return []
  const channels = channelsOf(graph)
  return settings.frequency_cap.filter(({ channel }) => {
    return channel === undefined || channels.every(({ name }) => name === channel)
  })
}

/** Returns the reasons that are known only when a message is sent. */
export function reasonsAtSending({ graph }: EvaluationContext): Reason[] {
  return hasMessages(graph) ? ['aborted_by_template', 'template_error', 'refused_by_server'] : []
}

function hasMessages({ steps }: Graph): boolean {
  return steps.values().some(({ type }) => type === 'message')
}

function refused(outcome: Reason, rule: string, inputs: unknown): Omit<EvaluatedPerson, 'person'> {
  return { outcome, refused: { rule, inputs } }
}
