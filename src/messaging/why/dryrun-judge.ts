import { judgeConsent } from '../../people/addresses/consent.ts'
import { consentFacts } from '../../people/addresses/consent-store.ts'
import type { Person } from '../../people/identity/person.ts'
import { toTimeZone } from '../../people/values/time-zones.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { quietUntil } from '../delivery/quiet-hours.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { assignedVariant, isInControlGroup } from '../journeys/assignment.ts'
import { type EarlierEntries, judgeReentry, reentryInputs } from '../journeys/reentry.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { ReachRow } from './dryrun-store.ts'
import type { Seen } from './dryrun-tally.ts'

export type JudgeRules = {
  readonly flow: Flow
  readonly graph: Graph
  readonly settings: Settings
  readonly nowMs: number
}

/** What would become of somebody who is in segment and audience; the rules are those by which people enter and are sent to. Pure. */
export function judgeEntering(
  { flow, graph, settings, nowMs }: JudgeRules,
  { profile_id }: Person,
  before: EarlierEntries,
  reach: ReachRow,
): Omit<Seen, 'who'> {
  const again = judgeReentry(graph.entry.again, before, nowMs)
  if (again !== undefined) return refused('already_entered', again, reentryInputs(before, nowMs))
  if (isInControlGroup(flow.flow_id, profile_id, graph.controlPercent)) {
    return refused('control_group', `${graph.controlPercent} % are in the control group`, null)
  }
  const variant = assignedVariant(flow.flow_id, profile_id, graph.variants).id
  if (!hasMessages(graph)) return { outcome: 'would_enter', variant }
  const against = judgeConsent(consentFacts(reach), graph.wanted)
  if (against) return refused(against.reason, against.rule, against.inputs)
  if (graph.quietHours === 'skip' && flow.class === 'marketing' && settings.quiet_hours) {
    const zone = toTimeZone(reach.time_zone ?? '') ?? settings.time_zone
    const untilMs = quietUntil(settings.quiet_hours, nowMs, zone)
    const inputs = { zone, quiet_until: untilMs === undefined ? null : new Date(untilMs).toISOString() }
    if (untilMs !== undefined) return refused('quiet_hours', 'what falls into quiet hours is skipped', inputs)
  }
  return { outcome: 'would_enter', variant }
}

/** How often somebody gets something, as far as that is limited for this flow. */
export function capsOf({ flow, graph, settings }: JudgeRules): Settings['frequency_cap'] {
  return flow.class === 'marketing' && hasMessages(graph) ? settings.frequency_cap : []
}

/** What only the moment of sending can tell. */
export function notJudged({ graph }: JudgeRules): Reason[] {
  return hasMessages(graph) ? ['aborted_by_template', 'template_error', 'refused_by_server'] : []
}

function hasMessages({ steps }: Graph): boolean {
  return steps.values().some(({ type }) => type === 'message')
}

function refused(outcome: Reason, rule: string, inputs: unknown): Omit<Seen, 'who'> {
  return { outcome, refused: { rule, inputs } }
}
