import { conflict, invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty, readWhole } from '../../base/http/query.ts'
import { defineRoute, type Query, type Route } from '../../base/http/route.ts'
import { readFault } from '../faults/read-fault.ts'
import { ClearedReply, FaultBody, FaultReply, FaultsReply } from '../faults/schema.ts'
import { refuseOtherShapes } from '../requests/check-body.ts'
import {
  Expectation,
  ExpectedReply,
  pageDefault,
  pageMax,
  RecordedQuery,
  RecordedReply,
  waitMsDefault,
} from '../requests/schema.ts'
import {
  ResetBody,
  ResetReply,
  ScopeQuery,
  SnapshotBody,
  type SnapshotHead,
  SnapshotReply,
  SnapshotsReply,
} from '../state/schema.ts'
import type { Snapshot } from '../state/snapshots.ts'
import type { Emulator } from './emulator.ts'

const admin = { permission: 'admin', errors: 'standard', ability: 'emulator.use' } as const
const unknownWorkspace = 'There is no such workspace.'

/** Returns the endpoints of an emulator. `emulator` is made after them. */
export function emulatorRoutes(emulator: () => Emulator): Route[] {
  return [...stateRoutes(emulator), ...faultRoutes(emulator), ...requestRoutes(emulator)]
}

function stateRoutes(emulator: () => Emulator): Route[] {
  const path = '/emulator/snapshots'
  const busy = 'Requests of other workspaces are being answered for too long. Nothing was changed.'
  return [
    defineRoute({
      ...admin,
      method: 'POST',
      path: '/emulator/reset',
      summary: 'Return everything to the beginning, or one workspace.',
      body: ResetBody,
      reply: { 200: ResetReply },
      refusals: { 404: unknownWorkspace, 409: busy },
      async handle(_call, { body = {} }) {
        refuseOtherShapes(ResetBody, body, 'a reset')
        await emulator().reset(body.workspace)
        return { now: emulator().now() }
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'List the snapshots.',
      reply: { 200: SnapshotsReply },
      handle: async () => ({ snapshots: emulator().snapshots.list().map(headOf) }),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Save everything, or one workspace, by a name.',
      body: SnapshotBody,
      reply: { 201: SnapshotReply },
      refusals: { 404: unknownWorkspace, 409: 'There is a snapshot with this name, or there are too many.' },
      async handle(_call, { body }) {
        refuseOtherShapes(SnapshotBody, body, 'a snapshot')
        return { snapshot: headOf(await emulator().snapshots.save(body.name, body.workspace, emulator().now())) }
      },
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${path}/{name}/restore`,
      summary: 'Return to a snapshot.',
      query: ScopeQuery,
      reply: { 200: ResetReply },
      refusals: { 404: 'There is no such snapshot or workspace.', 409: busy },
      async handle(_call, { params, query }) {
        await emulator().restore(params.name!, readNonEmpty(query, 'workspace'))
        return { now: emulator().now() }
      },
    }),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path: `${path}/{name}`,
      summary: 'Delete a snapshot.',
      query: ScopeQuery,
      reply: { 204: null },
      refusals: { 404: 'There is no such snapshot.' },
      async handle(_call, { params, query }) {
        await emulator().snapshots.delete(params.name!, readNonEmpty(query, 'workspace'))
        return undefined
      },
    }),
  ]
}

function faultRoutes(emulator: () => Emulator): Route[] {
  const path = '/emulator/faults'
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'List the faults that wait, in their order.',
      query: ScopeQuery,
      reply: { 200: FaultsReply },
      handle: async (_call, { query }) => ({ faults: emulator().faults.list(readNonEmpty(query, 'workspace')) }),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Order a fault for the next requests that match.',
      body: FaultBody,
      reply: { 201: FaultReply },
      refusals: { 409: 'Too many faults wait.' },
      handle: async (_call, { body }) => ({ fault: emulator().faults.add(readFault(body)) }),
    }),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path,
      summary: 'Delete the faults that wait.',
      query: ScopeQuery,
      reply: { 200: ClearedReply },
      handle: async (_call, { query }) => ({ deleted: emulator().faults.clear(readNonEmpty(query, 'workspace')) }),
    }),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete a fault that waits.',
      reply: { 204: null },
      refusals: { 404: 'There is no such fault, or it is used up.' },
      async handle(_call, { params }) {
        emulator().faults.delete(params.id!)
        return undefined
      },
    }),
  ]
}

function requestRoutes(emulator: () => Emulator): Route[] {
  const path = '/emulator/requests'
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'List the latest requests with their bodies and answers, oldest first.',
      query: RecordedQuery,
      reply: { 200: RecordedReply },
      async handle(_call, { query }) {
        const status = readNonEmpty(query, 'status')
        const more = { after: readWhole(query, 'after', 0), limit: readLimit(query, pageDefault, pageMax) }
        if (status !== undefined && !/^\d{3}$/.test(status)) throw invalid("'status' must be a status such as 201")
        const only = status === undefined ? {} : { status: Number(status) }
        return { requests: emulator().recorder.list(filterIn(query), { ...more, ...only }) }
      },
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${path}/expect`,
      summary: 'Wait until that many requests match.',
      body: Expectation,
      reply: { 200: ExpectedReply },
      refusals: { 409: 'Fewer requests have matched by then. The answer has the nearest one.' },
      async handle(call, { body }) {
        refuseOtherShapes(Expectation, body, 'an expectation')
        const { count = 1, within_ms: waitMs = waitMsDefault, after = 0, ...filter } = body
        const found = await emulator().recorder.expect(filter, { count, waitMs, after, signal: call.signal })
        if ('requests' in found) return found
        const { matching, nearest, problems } = found
        const words = problems.map(({ member, problem }) => `'${member}': ${problem}`).join('; ')
        const near = nearest
          ? ` The nearest was ${nearest.method} ${nearest.path}: ${words}`
          : ' There was no other request'
        throw withDetails(`${matching} of ${count} requests have matched within ${waitMs} ms.${near}`, nearest)
      },
    }),
  ]
}

function withDetails(message: string, nearest: object | undefined) {
  const failure = conflict(message)
  return nearest ? Object.assign(failure, { details: { ...failure.details, errors: [{ nearest }] } }) : failure
}

function filterIn(query: Query) {
  const [workspace, method, path] = ['workspace', 'method', 'path'].map((name) => readNonEmpty(query, name))
  return {
    ...(workspace !== undefined && { workspace }),
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
  }
}

function headOf({ name, workspace, at, copy }: Snapshot): SnapshotHead {
  return { name, workspace: workspace ?? null, at, bytes: copy.bytes }
}
