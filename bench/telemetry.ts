import { once } from 'node:events'
import { createServer } from 'node:http'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { type Effort, type LoadResult, median, perUpdate } from './measure.ts'
import type { Figure } from './report.ts'
import { startServer } from './server.ts'
import { seedPeople } from './setup.ts'
import { driveTrack } from './track.ts'

/** The share of the traces that is sent, by its name. Metrics are sent with each but the first. */
const shares: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = {
  'no telemetry': undefined,
  'metrics and no traces': { OTEL_TRACES_EXPORTER: 'none' },
  'metrics and 5 % of the traces': { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' },
  'metrics and all traces': { OTEL_TRACES_SAMPLER: 'always_on' },
}
const turns = 3

export function telemetryName(share: string): string {
  return `track events, ${share}`
}

export const telemetryNames = Object.keys(shares).map(telemetryName)

/**
 * Measures updates a second with and without a collector, in turns on one database. Each figure is the median by CPU time of the
 * process.
 */
export async function benchTelemetry(
  people: number,
  nowMs: number,
  cluster: Cluster | undefined,
  effort: Effort,
): Promise<Figure[]> {
  const database = cluster ? 'postgres' : 'pglite'
  await using folder = makeTemporaryFolder('telemetry')
  const databaseUrl = await cluster?.createDatabase(`telemetry_${people}`)
  const { db } = await seedPeople(folder.path, databaseUrl, { people, nowMs, bounds: [] }, effort)
  await db.close()
  await using collector = await openCollector()
  const driven = Object.keys(shares).map((share) => ({ share, results: [] as LoadResult[] }))
  for (let turn = 0; turn < (effort.quick ? 1 : turns); turn++) {
    for (const { share, results } of driven) {
      const own = shares[share]
      const env = own && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...own }
      await using server = await startServer({
        directory: folder.path,
        ...(databaseUrl !== undefined && { databaseUrl }),
        ...(env && { env }),
      })
      results.push(await driveTrack({ people, nowMs, server, postmaster: cluster?.postmaster }, 'events', effort))
    }
  }
  return driven.map(({ share, results }) => {
    const cpuUs = ({ cpu, requests }: LoadResult) => cpu.nodeUs / requests
    const middle = median(results.map(cpuUs))
    const typical = results.find((result) => cpuUs(result) === middle)!
    return { what: telemetryName(share), database, people, ...perUpdate(typical) }
  })
}

/** A collector that reads what it gets and keeps nothing. */
async function openCollector() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
