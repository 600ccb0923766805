import { Mark } from '../../ui/mark.tsx'
import type { Group } from './edit-group.tsx'

export function GroupState({ group: { archived } }: { group: Group }) {
  return archived ? <Mark family="control">archived</Mark> : <Mark family="sent">active</Mark>
}

export function sentenceOf({ archived }: Group): string {
  return archived
    ? 'It is archived: it keeps the states of people, and takes no new ones.'
    : 'A topic that people subscribe to, and leave.'
}
