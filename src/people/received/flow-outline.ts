/** A canvas or campaign with its current version, as in its row of `flow_outline`. */
export type FlowSummary = {
  readonly flow_id: number
  readonly kind: 'canvas' | 'campaign'
  /** The `canvas_id` or `campaign_id` of the interface. */
  readonly id: string
  readonly name: string
  readonly version: number
}

/**
 * The parts of a version of a flow that exported people mention: the names of variants and steps by their ids, and the names of
 * conversions.
 */
export type FlowOutline = {
  readonly variants: Readonly<Record<string, string>>
  readonly steps: Readonly<Record<string, string>>
  readonly conversions: readonly string[]
  readonly control_percent: number
}

export type OutlinedFlow = FlowSummary & { readonly outline: FlowOutline }
