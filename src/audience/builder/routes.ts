import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId, selectedWorkspace } from '../../workspace/settings/selected.ts'
import { SegmentSample } from '../segments/people-schema.ts'
import type { SegmentPeopleServices } from '../segments/segment-people.ts'
import { checkAudience } from './check-audience.ts'
import { type CountServices, countAudience } from './count-audience.ts'
import { countGroup } from './count-group.ts'
import { openNames } from './list-names.ts'
import { NamesQuery, NamesReply } from './names-schema.ts'
import {
  AudienceBody,
  CheckReply,
  CountBody,
  CountReply,
  GroupCountsReply,
  SampleBody,
  WhyBody,
  WhyReply,
} from './schema.ts'
import { sampleAudience, whyAudience } from './show-people.ts'

export type BuilderServices = CountServices & SegmentPeopleServices

const admin = { permission: 'admin', errors: 'standard' } as const
const conditions = { ...admin, method: 'POST', query: WorkspaceQuery } as const

/** Routes to conditions that are not stored: what they say, and which people they select. */
export function builderRoutes(services: BuilderServices): Route[] {
  return [
    defineRoute({
      ...conditions,
      path: '/admin/audience/check',
      ability: 'segments.read',
      summary: 'Check conditions and say them in words. Mistakes are part of the answer.',
      body: AudienceBody,
      reply: { 200: CheckReply },
      handle: async (call, request) => checkAudience(call, await selectedWorkspace(call, request), request.body),
    }),
    defineRoute({
      ...conditions,
      path: '/admin/audience/count',
      ability: 'segments.read',
      // An account that may count people by any condition can find out what one person has.
      furtherAbilities: ({ may }) => (may?.('people.read') ? [] : ['segments.edit']),
      summary: 'Count the people that conditions select, with each part of the conditions.',
      body: CountBody,
      reply: { 200: CountReply },
      handle: async (call, request) => {
        return countAudience(call, await selectedWorkspace(call, request), request.body, services)
      },
    }),
    defineRoute({
      ...conditions,
      path: '/admin/audience/sample',
      ability: 'people.read',
      summary: 'List a sample of the people that conditions select.',
      body: SampleBody,
      reply: { 200: SegmentSample },
      handle: async (call, request) => {
        return sampleAudience(call, await selectedWorkspace(call, request), request.body, services)
      },
    }),
    defineRoute({
      ...conditions,
      path: '/admin/audience/why',
      ability: 'people.read',
      summary: 'Explain why conditions select a person or not, condition by condition.',
      body: WhyBody,
      reply: { 200: WhyReply },
      handle: async (call, request) => {
        return whyAudience(call, await selectedWorkspace(call, request), request.body, services)
      },
    }),
    ...lookRoutes(services),
  ]
}

/** Routes to what conditions can name, and to the people of a group. */
function lookRoutes(services: BuilderServices): Route[] {
  const names = openNames()
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/names',
      ability: 'segments.read',
      summary: 'List the names that conditions can use, with the share of people who have them.',
      query: NamesQuery,
      reply: { 200: NamesReply },
      handle: async (call, request) => names(call, await selectedId(call, request), request),
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/subscription_groups/{id}/counts',
      ability: 'subscription_groups.read',
      summary: 'Count the people who are subscribed to a group, and those who are unsubscribed.',
      query: WorkspaceQuery,
      reply: { 200: GroupCountsReply },
      handle: async (call, request) => {
        return countGroup(call, await selectedId(call, request), request.params.id!, services)
      },
    }),
  ]
}
