import { type Sql, sql } from '../../../base/db/sql.ts'

/** A group state, and since when. */
export type GroupStateAt = readonly [state: 'subscribed' | 'unsubscribed', at: string]

/** Consent to text messages. */
export type TextConsentRow = {
  readonly phone: string | null
  /** The number in E.164; null when the phone is none. */
  readonly e164: string | null
  /** The states of groups for text messages in effect, by their public ids. */
  readonly text_groups: Readonly<Record<string, GroupStateAt>> | null
  readonly invalid_reason: string | null
  readonly invalid_at: Date | null
}

export const textColumns: Sql = sql`p.phone, n.e164, t.text_groups, i.reason as invalid_reason, i.at as invalid_at`

/**
 * Joins the number of `p`, the later of its group states and those of the person, and why it is known to be invalid. The number is made as
 * `toE164` does, its bucket and hash as `people/identity/person.ts` does.
 */
export const textConsentJoin: Sql = sql`
    left join lateral (
      select case when regexp_replace(p.phone, '[] .()[-]', '', 'g') ~ '^[+][1-9][0-9]{6,14}$' and length(p.phone) <= 64
        then regexp_replace(p.phone, '[] .()[-]', '', 'g') end as e164) n on true
    left join lateral (
      select (get_byte(sha256(w.plain), 0) << 4) + (get_byte(sha256(w.plain), 1) >> 4) as bucket,
        encode(sha256((select secret from installation) || w.plain), 'hex') as value
      from (select convert_to(p.workspace_id || ${'\u001fphone\u001f'}::text || n.e164, 'UTF8') as plain) w) h on true
    left join lateral (
      select jsonb_object_agg(g.id, jsonb_build_array(s.state, s.stamp)) as text_groups
      from (
        select distinct on (u.group_id) u.group_id, u.state, u.stamp
        from (
          select m.group_id, m.state, m.stamp, 0 as later from membership m where m.bucket = p.bucket and m.profile_id = p.profile_id
          union all
          select a.group_id, a.state, a.stamp, 1 from address_state a
          where a.bucket = h.bucket and a.workspace_id = p.workspace_id and a.kind = 'phone' and a.value = h.value) u
        order by u.group_id, u.stamp desc, u.later) s
      join subscription_group g on g.group_id = s.group_id and g.channel = 'sms') t on true
    left join lateral (
      select x.reason, x.at from invalid_phone x
      where x.bucket = h.bucket and x.workspace_id = p.workspace_id and x.value = h.value) i on true`
