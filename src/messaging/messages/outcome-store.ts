import { boolArray, int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs, timestampFromUs } from '../../base/db/timestamps.ts'
import { isLeased, leaseRows } from './claim-store.ts'
import type { LeasedMessage } from './message.ts'
import type { MessageResult } from './outcome.ts'

/** Longer replies of servers are cut off. */
export const storedResponseCharactersMax = 1_000

/**
 * Writes the outcomes of messages that still have their lease, and when each person last received something. Returns the ids of these
 * messages.
 */
export async function writeOutcomes(tx: Tx, results: readonly MessageResult[], stampUs: number): Promise<Set<string>> {
  if (results.length === 0) return new Set()
  const write = (part: ShardPart<MessageResult>) => {
    const { items } = part
    const outcomes = items.map(({ outcome }) => outcome)
    return prepared(sql`
    with done as (
    update message m set state = v.state, reason = v.reason, attempts = coalesce(v.attempts, m.attempts),
      crashes = coalesce(v.crashes, m.crashes),
      rates_granted = coalesce(v.rates_granted, m.rates_granted), maybe_sent = m.maybe_sent or v.maybe_sent,
      due_at = coalesce(v.due_at, m.due_at), lease = null, leased_until = null, response = coalesce(v.response, m.response),
      ended_at = case when v.reason is not null then ${timestampFromUs(stampUs)} end,
      warnings = case when v.warnings is null then m.warnings
        else m.warnings || array(select jsonb_array_elements_text(v.warnings)) end
    from unnest(
      ${int4Array(items.map(({ message }) => message.bucket))}::int4[],
      ${int8Array(items.map(({ message }) => message.message_id))}::int8[],
      ${textArray(items.map(({ message }) => message.lease))}::text[], ${textArray(outcomes.map(({ state }) => state))}::text[],
      ${textArray(outcomes.map((outcome) => (outcome.ends ? outcome.reason : null)))}::text[],
      ${int4Array(outcomes.map((outcome) => (outcome.ends ? null : outcome.attempts)))}::int4[],
      ${int4Array(outcomes.map((outcome) => (outcome.ends ? null : (outcome.crashes ?? null))))}::int4[],
      ${int4Array(outcomes.map((outcome) => (outcome.ends ? null : outcome.rates_granted)))}::int4[],
      ${boolArray(outcomes.map((outcome) => !outcome.ends && outcome.maybe_sent === true))}::bool[],
      ${timestampArray(outcomes.map((outcome) => (outcome.ends ? null : microseconds(outcome.dueMs))))}::timestamptz[],
      ${textArray(outcomes.map(({ response }) => shortened(response)))}::text[],
      ${jsonbArray(outcomes.map((outcome) => (outcome.ends && outcome.warnings ? listOf(outcome.warnings) : null)))}::jsonb[])
      v(bucket, message_id, lease, state, reason, attempts, crashes, rates_granted, maybe_sent, due_at, response, warnings)
    where m.bucket = v.bucket and m.message_id = v.message_id and m.lease = v.lease::uuid and ${isLeased} ${withinPart(part, 'm')}
    returning m.message_id, m.bucket, m.profile_id, m.channel, m.state), received as (
    insert into last_received as l (bucket, profile_id, channel, at)
    select distinct bucket, profile_id, channel, ${timestampFromUs(stampUs)} from done where state = 'accepted' order by 1, 2, 3
    on conflict (bucket, profile_id, channel) do update set at = greatest(l.at, excluded.at))
    select message_id from done`)
  }
  const rows = await byShard<{ message_id: string }, MessageResult>(tx, results, write, ({ message }) => message.bucket)
  return new Set(rows.map(({ message_id }) => message_id))
}

/** What is stored of a mail at its hand-over. */
export type HandedOverMail = {
  readonly message: LeasedMessage
  readonly address: string
  readonly subject: string
  readonly links: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Stores mails at their hand-over. The rows are locked and have their lease. Mail for the inbox stays `leased`, because there is no moment
 * of a hand-over.
 */
export async function writeHandOvers(
  tx: Tx,
  handed: readonly HandedOverMail[],
  state: 'handed_over' | 'leased',
  untilMs: number,
): Promise<void> {
  if (handed.length === 0) return
  await byShard<unknown, HandedOverMail>(
    tx,
    handed,
    (part) =>
      prepared(sql`
    update message m set state = ${state}, leased_until = ${timestampFromMs(untilMs)}, address = v.address, subject = v.subject,
      links = array(select jsonb_array_elements_text(v.links)), warnings = array(select jsonb_array_elements_text(v.warnings))
    from (
      select w.bucket, w.message_id, w.lease, v.* from ${leaseRows(part.items.map(({ message }) => message))} with ordinality
        w(bucket, message_id, lease, n)
      join unnest(
        ${textArray(part.items.map(({ address }) => address))}::text[],
        ${textArray(part.items.map(({ subject }) => clean(subject)))}::text[],
        ${jsonbArray(part.items.map(({ links }) => listOf(links)))}::jsonb[],
        ${jsonbArray(part.items.map(({ warnings }) => listOf(warnings)))}::jsonb[])
        with ordinality v(address, subject, links, warnings, n) on v.n = w.n) v
    where m.bucket = v.bucket and m.message_id = v.message_id and m.lease = v.lease::uuid ${withinPart(part, 'm')}`),
    ({ message }) => message.bucket,
  )
}

function microseconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 1000)
}

function shortened(response: string | undefined): string | null {
  return response === undefined ? null : clean(response.slice(0, storedResponseCharactersMax))
}

function listOf(texts: readonly string[]): string {
  return JSON.stringify(texts.map(clean))
}

/** Replaces characters that PostgreSQL does not store: texts come from servers and templates. */
function clean(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed()
}
