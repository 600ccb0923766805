import Type, { type Static } from 'typebox'

export const Backup = Type.Object({
  name: Type.String({ description: 'The name of the file in the folder of backups.' }),
  kind: Type.Enum(['asked', 'daily']),
  at: Type.String({ description: 'When it was begun, ISO 8601.' }),
  bytes: Type.Integer({ description: 'The size of the file.' }),
})
export type Backup = Static<typeof Backup>

export const RunningBackup = Type.Object(
  {
    name: Type.String(),
    at: Type.String(),
    bytes_read: Type.Integer({ description: 'Bytes of the data directory that were read.' }),
    bytes_total: Type.Integer({ description: 'Bytes of the data directory; 0 until they are counted.' }),
  },
  { description: 'The backup that is being written.' },
)

export const BackupsReply = Type.Object({
  backups: Type.Array(Backup, { description: 'The newest first.' }),
  running: Type.Union([RunningBackup, Type.Null()]),
  failure: Type.Union([Type.String(), Type.Null()], { description: 'Why the last backup was not written.' }),
  folder: Type.String({ description: 'Where the files are, on the machine of the server.' }),
})
export type BackupsReply = Static<typeof BackupsReply>

export const BegunReply = Type.Object({ running: RunningBackup })
