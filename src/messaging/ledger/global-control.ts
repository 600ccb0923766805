import { controlRanges, findControlRange } from '../../workspace/settings/control-group.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { DecisionReason } from './reasons.ts'

type ControlSettings = Pick<Settings, 'global_control_group'>

/** Whether a workspace keeps people out of messages of this class. */
export function hasGlobalControl(kind: 'marketing' | 'transactional', settings: ControlSettings): boolean {
  return kind === 'marketing' && controlRanges(settings).length > 0
}

/**
 * Returns why the global control group keeps a person out of messages of this class, or undefined if it does not. `random_bucket` is null
 * for a person who is gone. Pure.
 */
export function globalControlRefusal(
  kind: 'marketing' | 'transactional',
  random_bucket: number | null,
  settings: ControlSettings,
): DecisionReason | undefined {
  if (random_bucket === null || !hasGlobalControl(kind, settings)) return undefined
  const range = findControlRange(settings, random_bucket)
  if (!range) return undefined
  const rule = `random buckets ${range.from} to ${range.to} get no marketing messages`
  return { reason: 'global_control_group', rule, inputs: { random_bucket, ...range } }
}
