import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selected } from '../../workspace/settings/selected.ts'
import { checkDomain, type DomainServices, readDomain } from './check-domain.ts'
import { checksPerMinuteMax, DomainReply } from './schema.ts'

const ofDomain = {
  permission: 'admin',
  errors: 'standard',
  ability: 'dkim_keys.read',
  query: WorkspaceQuery,
  reply: { 200: DomainReply },
} as const
const unknown = 'There is no dkim_key with this id, or no such workspace.'

export function domainRoutes(services: DomainServices): Route[] {
  return [
    defineRoute({
      ...ofDomain,
      method: 'GET',
      path: '/admin/dkim_keys/{id}/records',
      summary: 'Read the DNS records that a mail domain should have.',
      refusals: { 404: unknown },
      handle: (call, request) => readDomain(call, services, request.params.id!, selected(request)),
    }),
    defineRoute({
      ...ofDomain,
      method: 'POST',
      path: '/admin/dkim_keys/{id}/check',
      summary: 'Ask DNS which of the records of a mail domain it has.',
      refusals: { 404: unknown, 429: `More than ${checksPerMinuteMax} checks of a workspace in a minute.` },
      handle: (call, request) => checkDomain(call, services, request.params.id!, selected(request)),
    }),
  ]
}
