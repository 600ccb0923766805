import type { Call } from '../base/call.ts'
import { invalid } from '../base/errors.ts'
import { updateSchedule } from '../dispatch/change.ts'
import { readSchedule } from '../dispatch/schedule.ts'
import { objectOf } from '../messages/read.ts'
import { readScheduleId } from '../messages/schedule-id.ts'
import { isGiven } from '../profiles/identifier.ts'
import { getFlow, type Trigger } from './order.ts'
import { readFlowId } from './read.ts'
import { scheduleRequired } from './schema.ts'
import { checkOrder } from './store.ts'

/** Replaces the schedule of an order as a whole (contract 4.8): what is left out of it is dropped. */
export async function updateFlowSchedule(
  call: Call,
  body: unknown,
  { words, parts, commit }: Trigger,
): Promise<object> {
  const given = objectOf(body)
  const id = readFlowId(given[words.idName], words)
  const schedule_id = readScheduleId(given.schedule_id)
  if (!isGiven(given.schedule)) throw invalid(scheduleRequired)
  const schedule = readSchedule(given.schedule, call.clock.now())
  const answer = await commit(async (tx) => {
    await checkOrder(tx, await getFlow(tx, call, id, words), schedule_id)
    await updateSchedule(tx, call, schedule_id, { schedule, isSameTime: false, isDelivered: true })
    return {}
  })
  parts.pokeExpander()
  return answer
}
