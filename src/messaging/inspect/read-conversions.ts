import type { Call } from '../../base/call.ts'
import { dayOf, daysBefore, startOfDay } from '../../base/days.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { beginningMs } from '../../workspace/tallies/read-tally.ts'
import { describeConversion } from '../flows/describe-entry.ts'
import { conversionMeasure, flowSubject } from '../flows/flow-tally.ts'
import { type FlowCounts, readFlowCounts } from '../series/flow-counts.ts'
import { type FlowPath, getFlowAt, type StandingServices } from './read-standing.ts'
import type { ConversionsReply } from './schema.ts'
import { wilsonShare } from './wilson.ts'

/** Reads how many people each variant of a flow has converted, with confidence intervals. Throws 404. */
export async function readConversions(
  { db, clock }: Pick<Call, 'db' | 'clock'>,
  path: FlowPath,
  { graphs, workspaces }: Pick<StandingServices, 'graphs' | 'workspaces'>,
): Promise<ConversionsReply> {
  const nowMs = clock.now()
  const zone = workspaces.get(path.workspace_id).settings.time_zone
  const tomorrow = daysBefore(dayOf(nowMs, zone), -1)
  return db.transaction(
    async (tx) => {
      const flow = await getFlowAt(tx, path)
      const { conversions, variants } = await graphs.get(tx, flow.flow_id, flow.version)
      const range = { times: [], startsMs: [beginningMs, startOfDay(tomorrow, zone)] }
      const counts = await readFlowCounts(tx, flowSubject(flow), range)
      const names = new Map(variants.map(({ id, name }) => [id, name]))
      for (const id of counts.ids('variant')) if (!names.has(id)) names.set(id, id)
      return {
        at: new Date(nowMs).toISOString(),
        conversions: conversions.map((conversion, i) => ({
          name: conversion.name,
          sentence: describeConversion(conversion, flow.kind),
          all: shareOf(counts, i),
          variants: [...names].map(([id, own]) => ({ id, name: own, ...shareOf(counts.of({ variant: id }), i) })),
        })),
      }
    },
    { settings: readOnlySnapshot },
  )
}

function shareOf(counts: FlowCounts, index: number) {
  const [entered, converted] = [counts.count('entries'), counts.count(conversionMeasure(index))]
  const { rate = null, low = null, high = null } = wilsonShare(converted, entered) ?? {}
  return { entered, converted, rate, low, high }
}
