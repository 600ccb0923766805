import type { flowShapes } from '../../api/flow-shapes.ts'

type Shapes = typeof flowShapes
/** An object of a flow, by its name in the interface. */
export type ShapeName = Exclude<keyof Shapes, 'send_order'>

const ofFlow = [
  ...(['id', 'name', 'description', 'tags', 'state', 'class', 'segment', 'audience', 'entry', 'exit'] as const),
  ...(['conversions', 'control_percent', 'recipient_subscription_state', 'quiet_hours', 'rate'] as const),
] as const
const ofStep = ['id', 'name', 'type'] as const
const ofPush = ['alert', 'title', 'custom_uri', 'image_url', 'send_to_most_recent_device_only'] as const
const ofTrigger = ['properties', 'same'] as const

/**
 * The members of each object of a flow that a form has fields for, or that are changed elsewhere, such as the state. All others are shown
 * as JSON by `OtherMembers`.
 */
export const flowFields = {
  canvas: [...ofFlow, 'variants', 'first', 'steps'],
  campaign: [...ofFlow, 'messages'],
  stored_segment: ['segment_id'],
  flow_entry: ['by', 'event', 'schedule', 'again'],
  entry_event: ['name', 'properties'],
  entry_again_after: ['after'],
  flow_recurrence: ['at', 'days', 'zone', 'from', 'until'],
  flow_exit: ['events', 'segment', 'audience'],
  flow_conversion: ['name', 'on', 'within'],
  event_trigger: ['event', ...ofTrigger],
  purchase_trigger: ['purchase', ...ofTrigger],
  opened_trigger: ['opened'],
  clicked_trigger: ['clicked'],
  property_test: ['comparison', 'value'],
  flow_variant: ['name', 'percent', 'first'],
  campaign_message: [
    ...(['id', 'name', 'percent', 'email', 'sms', 'web_push', 'apple_push', 'android_push', 'webhook'] as const),
  ],
  flow_email: [
    ...(['app_id', 'from', 'reply_to', 'subject', 'preheader', 'body', 'plaintext_body', 'email_template_id'] as const),
    ...(['attachments', 'headers', 'extras', 'bcc', 'should_inline_css'] as const),
  ],
  flow_webhook: ['url', 'method', 'headers', 'body'],
  flow_text: ['body', 'subscription_group_id', 'from', 'app_id'],
  flow_web_push: [...ofPush, 'large_image_url'],
  flow_apple_push: [...ofPush, 'badge'],
  flow_android_push: [...ofPush],
  flow_attachment: ['file_name', 'url', 'basic_auth_credential'],
  message_step: [...ofStep, 'channel', 'message', 'next'],
  delay_step: [...ofStep, 'for', 'until', 'weekdays', 'next'],
  decision_step: [...ofStep, 'segment', 'audience', 'yes', 'no'],
  paths_step: [...ofStep, 'paths', 'otherwise'],
  condition_path: ['name', 'segment', 'audience', 'next'],
  action_paths_step: [...ofStep, 'within', 'paths', 'otherwise'],
  action_path: ['name', 'event', 'purchase', ...ofTrigger, 'next'],
  experiment_step: [...ofStep, 'paths'],
  experiment_path: ['name', 'percent', 'next'],
  update_user_step: [...ofStep, 'attributes', 'next'],
  webhook_step: [...ofStep, 'url', 'method', 'headers', 'body', 'next'],
  credential_header: ['credential', 'scheme'],
  sealed_header: [],
} as const satisfies { readonly [Name in ShapeName]: readonly (keyof Shapes[Name])[] }

/** Returns the name of the object that a step of a type is; undefined for a type that the interface does not have. Pure. */
export function shapeOfStep(type: unknown): ShapeName | undefined {
  const name = `${type}_step`
  return Object.hasOwn(flowFields, name) ? (name as ShapeName) : undefined
}
