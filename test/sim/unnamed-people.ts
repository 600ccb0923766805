import assert from 'node:assert/strict'
import type { Service } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import { type Named, parse, type Shown } from './unnamed-model.ts'

const memberCharactersMax = 255

/** Returns whether a list of members of an answer has a member, or a part of it. */
export function namedBy(members: readonly string[]): Named {
  return (member) => {
    const cut = member.slice(0, memberCharactersMax)
    return members.some((one) => one === cut || one.startsWith(`${member}.`) || one.startsWith(`${member}[`))
  }
}

/** Returns every person of the workspace by each identifier: external ids, addresses and names of aliases. */
export async function readPeople(service: Service): Promise<ReadonlyMap<string, Shown>> {
  const lines = new Map<string, Item[]>()
  for (let next: string | null = ''; next !== null; ) {
    const { status, text } = await service.get(`/admin/people?after=${next}`, { key: service.adminToken })
    assert.equal(status, 200, text)
    const page = parse(text) as { lines: readonly { person?: string }[]; next: string | null }
    for (const { person, ...line } of page.lines) {
      if (person !== undefined) lines.set(person, [...(lines.get(person) ?? []), line])
    }
    next = page.next
  }
  return new Map(
    [...lines.values()].flatMap((own) => {
      const rows = (member: string) => own.flatMap((line) => (line[member] ?? []) as Item[])
      const profile = Object.assign({}, ...rows('profile')) as Item
      const shown: Shown = {
        profile,
        custom: Object.assign({}, ...rows('custom_attributes')),
        groups: rows('groups'),
        push_tokens: rows('push_tokens'),
        events: rows('events'),
        purchases: rows('purchases'),
      }
      const former = rows('former_ids').map((one) => one.external_id)
      const aliases = rows('aliases').map((one) => one.alias_name)
      const names = [profile.external_id, profile.email, profile.phone, ...former, ...aliases]
      return names.filter((name) => name !== undefined).map((name): [string, Shown] => [String(name), shown])
    }),
  )
}
