import type { FlowOutline, OutlinedFlow } from '../received/flow-outline.ts'
import type { ReceivedRow, ReceivedStep } from '../received/received.ts'

/** Canvases and campaigns by their `flow_id`. */
export type OutlinedFlows = ReadonlyMap<number, OutlinedFlow>

/** The `variation_name` of the control group. */
export const controlName = 'Control Group'

/**
 * Builds `campaigns_received` (specification 2.3). Campaigns with several variations or with a control group have the variation. Campaigns
 * with conversions have `converted`. `engaged` has only members that are true.
 */
export function campaignsReceived(rows: readonly ReceivedRow[], flows: OutlinedFlows): object[] {
  return rows.flatMap((row) => {
    const flow = flows.get(row.flow_id)
    if (flow?.kind !== 'campaign' || !(row.last_received_at || row.last_entered_control_at)) return []
    const { outline } = flow
    return withoutEmpty({
      name: flow.name,
      api_campaign_id: flow.id,
      last_received: row.last_received_at,
      engaged: engagedOf(row),
      ...conversionsOf(row, outline),
      ...(isMultivariate(outline) && {
        variation_name: variationName(row, outline),
        variation_api_id: row.in_control ? null : row.variant,
        in_control: row.in_control,
      }),
    })
  })
}

/** Builds `canvases_received` (specification 2.3) of canvases that the person has entered, also in the control group. */
export function canvasesReceived(
  rows: readonly ReceivedRow[],
  steps: readonly ReceivedStep[],
  flows: OutlinedFlows,
): object[] {
  return rows.flatMap((row) => {
    const flow = flows.get(row.flow_id)
    if (flow?.kind !== 'canvas' || !(row.last_received_at || row.last_entered_at)) return []
    const { outline } = flow
    const had = steps.filter(({ flow_id }) => flow_id === row.flow_id)
    const [item] = withoutEmpty({
      name: flow.name,
      api_canvas_id: flow.id,
      last_received_message: row.last_received_at,
      last_entered: row.last_entered_at,
      variation_name: variationName(row, outline),
      in_control: row.in_control,
      last_exited: row.last_exited_at,
      steps_received: had.map(({ step, last_received_at }) => {
        // The current version may no longer have this step: then its id is the name.
        const name = nameIn(outline.steps, step)
        return { name, api_canvas_step_id: step, last_received: last_received_at }
      }),
    })
    return [{ ...item, last_entered_control_at: row.last_entered_control_at }]
  })
}

function engagedOf({ opened_at, clicked_at }: ReceivedRow): object | null {
  if (!opened_at && !clicked_at) return null
  return { ...(opened_at && { opened_email: true }), ...(clicked_at && { clicked_email: true }) }
}

/** Lists conversions. Conversions that were made stay listed when the campaign has other conversions now. */
function conversionsOf({ converted }: ReceivedRow, { conversions }: FlowOutline): object {
  const names = [...new Set([...conversions, ...converted])]
  if (names.length === 0) return {}
  return {
    converted: converted.length > 0,
    multiple_converted: Object.fromEntries(names.map((name) => [name, converted.includes(name)])),
  }
}

function isMultivariate({ variants, control_percent }: FlowOutline): boolean {
  return Object.keys(variants).length > 1 || control_percent > 0
}

function variationName({ variant, in_control }: ReceivedRow, { variants }: FlowOutline): string | null {
  if (in_control) return controlName
  return variant === null ? null : nameIn(variants, variant)
}

function nameIn(names: Readonly<Record<string, string>>, id: string): string {
  return Object.hasOwn(names, id) ? names[id]! : id
}

/** Returns the members that are neither null nor empty, as a list of one object. */
function withoutEmpty(members: Record<string, unknown>): [Record<string, unknown>] {
  const entries = Object.entries(members).filter(([, value]) => value !== null && value !== undefined)
  return [Object.fromEntries(entries.filter(([, value]) => !(Array.isArray(value) && value.length === 0)))]
}
