import Type from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { Id } from '../../workspace/settings/schema.ts'

export const AfterPage = Type.Object({
  workspace,
  after: Type.Optional(Type.String({ description: '`next` of the previous page; absent for the first page.' })),
})

const Lines = Type.Array(Type.Object({}), {
  description: 'The header, people or parts of people, and states of addresses, as `easel export` writes them.',
})

export const PeoplePage = Type.Object({
  lines: Lines,
  next: Type.Union([Type.String(), Type.Null()], { description: '`after` of the next page; null at the end.' }),
  share: Type.Number({ description: 'Progress, 0 to 1.' }),
})

export const PeopleLines = Type.Object({ lines: Lines })

export const Restored = Type.Object({
  imported: Type.Integer({ description: 'People who were imported.' }),
  known: Type.Integer({ description: 'People who already existed. They do not change.' }),
  left_out: Type.Array(Type.Object({ index: Type.Integer(), reason: Type.String() }), {
    description: 'Lines, counted from 0, that were not imported.',
  }),
  unknown_groups: Type.Array(Id, { description: 'Subscription groups that the workspace does not have.' }),
  unknown_flows: Type.Array(Id, {
    description: 'Canvases and campaigns that the workspace does not have, as `canvas:<id>` or `campaign:<id>`.',
  }),
  cohorts_left_out: Type.Array(Type.String(), {
    description: 'Cohorts, as `<partner>:<id>`, for which the workspace has no room.',
  }),
  tokens_left_out: Type.Integer({ description: 'Push tokens that other people of the workspace already have.' }),
  states_left_out: Type.Integer({
    description: 'States of addresses that were hashed by another installation or workspace.',
  }),
})
