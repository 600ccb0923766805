import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowShapes } from '../../dashboard/src/api/flow-shapes.ts'
import { flowFields, type ShapeName, shapeOfStep } from '../../dashboard/src/pages/flow-forms/flow-fields.ts'
import { stepTypes } from '../../src/messaging/flows/flow.ts'

const ofPush = ['extra', 'time_to_live', 'message_variation_id']
/** Members without a field. The forms show them as JSON. For a sealed header the hint of its field says so. */
const withoutField: Readonly<Record<string, readonly string[]>> = {
  flow_email: ['message_variation_id'],
  flow_text: ['message_variation_id'],
  flow_webhook: ['message_variation_id'],
  flow_web_push: [...ofPush, 'require_interaction'],
  flow_apple_push: [...ofPush, 'sound', 'category', 'collapse_id', 'notification_group_thread_id'],
  flow_android_push: [...ofPush, 'sound', 'collapse_key', 'notification_channel_id', 'android_priority'],
  sealed_header: ['sealed'],
}

test('each member of a flow has a field, or is listed here as one that is shown as JSON', () => {
  const { send_order: _, ...shapes } = flowShapes
  for (const [name, members] of Object.entries(shapes)) {
    const fields: readonly string[] = flowFields[name as ShapeName]
    const missing = Object.keys(members).filter((member) => !fields.includes(member))
    assert.deepEqual(missing, withoutField[name] ?? [], name)
    assert.deepEqual(
      fields.filter((field) => !Object.hasOwn(members, field)),
      [],
      name,
    )
  }
})

test('each type of a step that the server has is known to the forms', () => {
  for (const type of stepTypes) assert.equal(shapeOfStep(type), `${type}_step`)
  for (const type of ['sms', '', undefined, 'toString']) assert.equal(shapeOfStep(type), undefined)
})
