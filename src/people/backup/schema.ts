import Type from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { Id } from '../../workspace/settings/schema.ts'

export const AfterPage = Type.Object({
  workspace,
  after: Type.Optional(Type.String({ description: '`next` of the page before; the first page when absent.' })),
})

const Lines = Type.Array(Type.Object({}), {
  description: 'The head, people or parts of people, and states of addresses, as `easel export` writes them.',
})

export const PeoplePage = Type.Object({
  lines: Lines,
  next: Type.Union([Type.String(), Type.Null()], { description: '`after` of the next page; null at the end.' }),
  share: Type.Number({ description: 'How far that is, 0 to 1.' }),
})

export const PeopleLines = Type.Object({ lines: Lines })

export const Restored = Type.Object({
  imported: Type.Integer({ description: 'People who are here now and were not.' }),
  known: Type.Integer({ description: 'People who were here before and stay as they are.' }),
  left_out: Type.Array(Type.Object({ index: Type.Integer(), reason: Type.String() }), {
    description: 'Lines, counted from 0, that were not imported.',
  }),
  unknown_groups: Type.Array(Id, { description: 'Subscription groups the workspace does not have.' }),
  unknown_flows: Type.Array(Id, {
    description: 'Canvases and campaigns the workspace does not have, as `canvas:<id>` or `campaign:<id>`.',
  }),
  tokens_left_out: Type.Integer({ description: 'Push tokens that stay with whoever has them here.' }),
  states_left_out: Type.Integer({ description: 'States of addresses hidden by another installation or workspace.' }),
})
