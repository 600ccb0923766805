import Type, { type Static } from 'typebox'

/** The most snapshots of an emulator. */
export const snapshotsMax = 20
/** The most bytes of all snapshots together. They are in memory. */
export const snapshotBytesMax = 128 * 1024 * 1024
export const snapshotNamePattern = /^[\w.-]{1,64}$/
/** How long a reset or a restore of one workspace waits for requests that are being answered, in milliseconds. */
export const drainMsMax = 10_000

const workspace = Type.Optional(Type.String({ description: 'The id of a workspace; everything when absent.' }))

export const ResetBody = Type.Object({ workspace }, { additionalProperties: false })
export const ResetReply = Type.Object({ now: Type.String({ format: 'date-time', description: 'Business time.' }) })

export const ScopeQuery = Type.Object({ workspace })

export const SnapshotBody = Type.Object(
  { name: Type.String({ pattern: snapshotNamePattern.source }), workspace },
  { additionalProperties: false },
)

const SnapshotHead = Type.Object({
  name: Type.String(),
  workspace: Type.Union([Type.String(), Type.Null()], { description: 'Null: it has everything.' }),
  at: Type.String({ format: 'date-time', description: 'When it was saved, in business time.' }),
  bytes: Type.Integer(),
})
export type SnapshotHead = Static<typeof SnapshotHead>

export const SnapshotReply = Type.Object({ snapshot: SnapshotHead })
export const SnapshotsReply = Type.Object({ snapshots: Type.Array(SnapshotHead, { description: 'Oldest first' }) })
