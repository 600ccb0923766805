import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import type { FlowKind } from '../flows/flow.ts'
import type { LookupServices } from '../lookup/describe-messages.ts'
import { type EntriesServices, listEntries } from './list-entries.ts'
import { readRun } from './read-run.ts'
import { numberMax, readHours, readNumber, type StandingServices, standingReader } from './read-standing.ts'
import {
  EntriesQuery,
  EntriesReply,
  type FlowEntry,
  RunQuery,
  RunReply,
  StandingQuery,
  StandingReply,
} from './schema.ts'

export type InspectServices = StandingServices & EntriesServices & LookupServices

const nouns = { canvas: 'canvases', campaign: 'campaigns' } as const satisfies Readonly<Record<FlowKind, string>>
const admin = { permission: 'admin', errors: 'standard', method: 'GET' } as const

/** Routes for administrators that look into a canvas or a campaign: where people stand, and who they are. */
export function inspectRoutes(services: InspectServices): Route[] {
  return [...routesOf('canvas', services), ...routesOf('campaign', services)]
}

function routesOf(kind: FlowKind, services: InspectServices): Route[] {
  const path = `/admin/${nouns[kind]}/{id}` as const
  const refusals = { 404: `There is no ${kind} with this id, or no such workspace.` }
  const readStanding = standingReader(services)
  return [
    defineRoute({
      ...admin,
      path: `${path}/standing`,
      ability: `${nouns[kind]}.read`,
      summary: `Read where people stand in a ${kind}, and how many went which way.`,
      query: StandingQuery,
      refusals,
      reply: { 200: StandingReply },
      async handle(call, request) {
        const [version, hours] = [readNumber(request.query, 'version', numberMax), readHours(request.query)]
        const workspace_id = await selectedId(call, request)
        return readStanding(call, { workspace_id, kind, id: request.params.id!, version, hours })
      },
    }),
    defineRoute({
      ...admin,
      path: `${path}/entries`,
      ability: `${nouns[kind]}.read`,
      summary: `List who is or was in a ${kind}, newest first, also by step, state, version or person.`,
      furtherAbilities: ({ query }) => (query.person === undefined ? [] : ['people.read']),
      query: EntriesQuery,
      refusals: { 404: `There is no ${kind} or no person with this id, or no such workspace.` },
      reply: { 200: EntriesReply },
      async handle(call, request) {
        const workspace_id = await selectedId(call, request)
        const found = await listEntries(call, { workspace_id, kind, id: request.params.id! }, request.query, services)
        return mayReadPeople(request) ? found : { ...found, entries: found.entries.map(withoutPerson) }
      },
    }),
    defineRoute({
      ...admin,
      path: `${path}/entries/{entry_id}`,
      ability: `${nouns[kind]}.read`,
      summary: `Read how one person went through a ${kind}: the steps with their times, and what became of the messages.`,
      query: RunQuery,
      refusals: { 404: `There is no ${kind} or no entry with this id, or no such workspace.` },
      reply: { 200: RunReply },
      async handle(call, request) {
        const workspace_id = await selectedId(call, request)
        const { id, entry_id } = request.params
        const found = await readRun(call, { workspace_id, kind, id: id! }, entry_id!, services)
        const mayReadMessages = request.may?.('messages.read') ?? true
        return {
          ...found,
          entry: mayReadPeople(request) ? found.entry : withoutPerson(found.entry),
          messages: mayReadMessages ? found.messages : null,
        }
      },
    }),
  ]
}

/** Without this ability an account sees where people stand, not who they are. */
function mayReadPeople({ may }: Pick<Request, 'may'>): boolean {
  return may?.('people.read') ?? true
}

function withoutPerson<Entry extends FlowEntry>(entry: Entry): Entry {
  return { ...entry, person: null }
}
