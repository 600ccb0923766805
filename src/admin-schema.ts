import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { configSections } from './config-sections.ts'
import type { ConfigSection } from './workspace/file/config-section.ts'
import { durationPattern } from './workspace/settings/duration.ts'
import { workspace } from './workspace/settings/query-schema.ts'
import { Head, Id } from './workspace/settings/schema.ts'
import { SettingsShape } from './workspace/settings/settings.ts'

export const ClockMove = Type.Object(
  {
    now: Type.Optional(Type.String({ description: 'The instant to go to, ISO 8601 with offset.' })),
    advance: Type.Optional(
      Type.String({ pattern: durationPattern, description: 'How far to go, ISO 8601: P3D, PT90M.' }),
    ),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
)

export const ClockReading = Type.Object({
  now: Type.String({ description: 'Business time, ISO 8601.' }),
  clock: Type.Enum(['system', 'virtual']),
  stopped: Type.Optional(
    Type.String({
      description:
        'Why the clock stopped before the instant that was asked for, or why not all that is due there is done.',
    }),
  ),
})
export type ClockReading = Static<typeof ClockReading>

export const OfWorkspace = Type.Object({ workspace })
export const Applying = Type.Object({
  workspace,
  plan: Type.Optional(Type.Enum(['true', 'false'], { description: 'true: only answers what would change.' })),
})

/** The whole workspace file, as JSON. */
export const FileShape = Type.Object(
  {
    workspace: Type.Optional(Head),
    settings: Type.Optional(SettingsShape),
    ...Object.fromEntries(
      configSections.map((section) => [section.name, Type.Optional(Type.Array(describedOf(section)))]),
    ),
  },
  { additionalProperties: false },
)

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

const Named = Type.Object({ id: Id, name: Type.String() })

export const Applied = Type.Object({
  workspace: Named,
  changes: Type.Array(
    Type.Object({
      member: Type.String(),
      id: Type.String(),
      name: Type.String(),
      action: Type.Enum(['create', 'update']),
      before: Type.Unknown(),
      after: Type.Unknown(),
      notes: Type.Optional(
        Type.Array(Type.String(), { description: 'Of a plan: what to know before, such as who stands in a canvas.' }),
      ),
    }),
  ),
  secrets: Type.Array(Type.Object({ member: Type.String(), id: Id, name: Type.String(), key: Type.String() }), {
    description: 'Keys that were made; shown this once.',
  }),
})

export const WorkspaceReply = Type.Object({ workspace: Named })
export const WorkspacesReply = Type.Object({
  workspaces: Type.Array(Named, { description: 'Oldest first; the first is the default workspace.' }),
})

export const SettingsReply = Type.Object({
  settings: Type.Object({}, { description: 'All settings in effect, defaults included.' }),
  set: Type.Object({}, { description: 'Those that were set.' }),
})

/** An entry as it is given. */
export function describedOf({ described, shape }: ConfigSection): TObject {
  return described ?? shape
}

/** What an answer says of an entry: its shape, with an id and without what is shown only once. */
function shownOf(section: ConfigSection): TSchema {
  return Type.Object({ ...describedOf(section).properties, id: Id })
}

export function listOf(section: ConfigSection): TSchema {
  return Type.Object({ [section.path]: Type.Array(shownOf(section)) })
}

export function oneOf(section: ConfigSection): TSchema {
  return Type.Object({ [section.one]: shownOf(section) })
}

/** A change names only what changes. */
export function partOf(section: ConfigSection): TSchema {
  return Type.Partial(describedOf(section))
}
