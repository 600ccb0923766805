/** The first entry of a backup. */
export const headName = 'easel-backup.json'

/** What a backup says of itself. */
export type Head = {
  readonly format: 1
  /** The version of Easel that wrote it. */
  readonly version: string
  /** When it was begun. */
  readonly at: string
}

/** The folder of the data directory in which the server keeps its backups. It is in none of them. */
export const backupsFolder = 'backups'

/** The folder of the data directory in which commands keep copies of the database that they read. It is in no backup. */
export const snapshotsFolder = 'snapshots'
