import { checkConsent } from '../../people/addresses/consent.ts'
import { consentFacts } from '../../people/addresses/consent-store.ts'
import type { Person } from '../../people/identity/person.ts'
import { toTimeZone } from '../../people/values/time-zones.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { quietUntil } from '../delivery/quiet-hours.ts'
import { percentWords } from '../flows/describe-steps.ts'
import type { Flow, Graph } from '../flows/flow.ts'
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

/** Evaluates whether a person in segment and audience would enter and get the messages, by the rules of entering and sending. Pure. */
export function evaluatePerson(
  { flow, graph, settings, nowMs }: EvaluationContext,
  { profile_id }: Person,
  earlier: EarlierEntries,
  consent: ConsentFactsRow,
): Omit<EvaluatedPerson, 'person'> {
  const again = checkReentry(graph.entry.again, earlier, nowMs)
  if (again !== undefined) return refused('already_entered', again, reentryInputs(earlier, nowMs))
  const control = globalControlRefusal(flow.class, consent.random_bucket, settings)
  if (control) return refused(control.reason, control.rule!, control.inputs)
  if (isInControlGroup(flow.flow_id, profile_id, graph.controlPercent)) {
    return refused('control_group', `${percentWords(graph.controlPercent)} are in the control group`, null)
  }
  const variant = assignedVariant(flow.flow_id, profile_id, graph.variants).id
  if (!hasMessages(graph)) return { outcome: 'would_enter', variant }
  const against = checkConsent(consentFacts(consent), graph.wanted)
  if (against) return refused(against.reason, against.rule, against.inputs)
  if (graph.quietHours === 'skip' && flow.class === 'marketing' && settings.quiet_hours) {
    const zone = toTimeZone(consent.time_zone ?? '') ?? settings.time_zone
    const untilMs = quietUntil(settings.quiet_hours, nowMs, zone)
    const inputs = { zone, quiet_until: untilMs === undefined ? null : new Date(untilMs).toISOString() }
    if (untilMs !== undefined) return refused('quiet_hours', 'messages in quiet hours are skipped', inputs)
  }
  return { outcome: 'would_enter', variant }
}

/** Returns the frequency caps that apply to the flow. */
export function applicableCaps({ flow, graph, settings }: EvaluationContext): Settings['frequency_cap'] {
  return flow.class === 'marketing' && hasMessages(graph) ? settings.frequency_cap : []
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
