/** What a size of installation is about. Events are those in the database, which it keeps for `keptDays`, like messages. */
export type Size = {
  readonly name: string
  readonly people: number
  readonly events: number
  readonly messagesPerDay: number
}

const [million, billion] = [1e6, 1e9]

export const sizes: readonly Size[] = [
  { name: '1 M people', people: million, events: 100 * million, messagesPerDay: 0.1 * million },
  { name: '10 M people', people: 10 * million, events: billion, messagesPerDay: million },
  { name: '100 M people', people: 100 * million, events: billion, messagesPerDay: 10 * million },
  { name: '10 G events', people: 100 * million, events: 10 * billion, messagesPerDay: 10 * million },
  { name: '100 M messages a day', people: 100 * million, events: 10 * billion, messagesPerDay: 100 * million },
]

/** Measured figures: `docs/capacity.md` says where each comes from. */
export const inputs = {
  personBytes: 1308,
  lastReceivedBytes: 116,
  eventBytes: 170,
  messageBytes: 1090,
  decisionBytes: 270,
  updateLogBytes: 1074,
  messageLogBytes: 5230,
  updateBodyBytes: 134,
  updateDatabaseUs: 20,
  updateProcessUs: 8.84,
  messageDatabaseUs: 296,
  messageProcessUs: 1201,
} as const

/** Chosen, not measured. Choose others, and compute again. */
export const assumptions = {
  keptDays: 90,
  /** For each event or purchase a request has one change of attributes, as in the benchmark. */
  updatesPerEvent: 2,
  peakOverMean: 10,
  messageHours: 8,
  busyMax: 0.6,
  /** For replication, backup, vacuum and reads from disk: database CPU is multiplied by it. */
  reserve: 2,
  mailBytes: 20_000,
  restoreHoursMax: 4,
  restoreBytesPerSecond: 250e6,
  vacuumHoursMax: 8,
  vacuumBytesPerSecond: 40e6,
} as const

const [daySeconds, hourSeconds, coresOfMachine] = [86_400, 3600, 2]

export type Capacity = {
  readonly updatesPerSecond: number
  readonly peakUpdatesPerSecond: number
  readonly messagesPerSecond: number
  readonly databaseCores: number
  readonly processCores: number
  readonly diskBytes: number
  readonly largestTableBytes: number
  readonly logBytesPerDay: number
  readonly replicaBitsPerSecond: number
  readonly requestBitsPerSecond: number
  readonly mailBitsPerSecond: number
  /** How many databases the time of a restore asks for, and the time of a vacuum. */
  readonly forRestore: number
  readonly forVacuum: number
  readonly databases: number
  readonly processMachines: number
}

/** Computes what a size needs, by the formulas of `docs/capacity.md`. */
export function capacityOf({ people, events, messagesPerDay }: Size): Capacity {
  const { keptDays, peakOverMean, messageHours, busyMax, reserve } = assumptions
  const updatesPerSecond = (events * assumptions.updatesPerEvent) / (keptDays * daySeconds)
  const peak = updatesPerSecond * peakOverMean
  const messagesPerSecond = messagesPerDay / (messageHours * hourSeconds)
  const databaseUs = peak * inputs.updateDatabaseUs + messagesPerSecond * inputs.messageDatabaseUs
  const processUs = peak * inputs.updateProcessUs + messagesPerSecond * inputs.messageProcessUs
  const messages = messagesPerDay * keptDays
  const diskBytes =
    people * (inputs.personBytes + inputs.lastReceivedBytes) +
    events * inputs.eventBytes +
    messages * (inputs.messageBytes + inputs.decisionBytes)
  // Events and decisions have a partition for each week; people and messages are one table each.
  const largestTableBytes = Math.max(people * inputs.personBytes, messages * inputs.messageBytes)
  const logBytesPerDay = updatesPerSecond * daySeconds * inputs.updateLogBytes + messagesPerDay * inputs.messageLogBytes
  const forRestore = Math.ceil(
    diskBytes / (assumptions.restoreHoursMax * hourSeconds * assumptions.restoreBytesPerSecond),
  )
  const forVacuum = Math.ceil(
    largestTableBytes / (assumptions.vacuumHoursMax * hourSeconds * assumptions.vacuumBytesPerSecond),
  )
  const databases = Math.max(forRestore, forVacuum)
  const processCores = processUs / busyMax / million
  return {
    updatesPerSecond,
    peakUpdatesPerSecond: peak,
    messagesPerSecond,
    databaseCores: (databaseUs * reserve) / busyMax / million,
    processCores,
    diskBytes,
    largestTableBytes,
    logBytesPerDay,
    replicaBitsPerSecond: 8 * (peak * inputs.updateLogBytes + messagesPerSecond * inputs.messageLogBytes),
    requestBitsPerSecond: 8 * peak * inputs.updateBodyBytes,
    mailBitsPerSecond: 8 * messagesPerSecond * assumptions.mailBytes,
    forRestore,
    forVacuum,
    databases,
    // At least two for each database, and one to spare, so that one can fail.
    processMachines: Math.max(2 * databases, Math.ceil(processCores / coresOfMachine) + 1),
  }
}
