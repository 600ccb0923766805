import type { TSchema } from 'typebox'
import type { Ability } from '../../base/http/abilities.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import type { FlowKind } from '../flows/flow.ts'
import { type HeadKind, type HeadServices, headReaders, keepWaiting, listNewFlows } from './list-heads.ts'
import { ReferenceReader } from './read-references.ts'
import {
  BlockHead,
  CatalogHead,
  draftsMember,
  FlowHead,
  GroupHead,
  HeadsQuery,
  headsReply,
  SegmentHead,
  TemplateHead,
  type UserKind,
} from './schema.ts'
import { nameReadable } from './users.ts'

type Listed = {
  readonly ability: Ability
  readonly shape: TSchema
  readonly what: string
  /** The flows whose drafts are listed besides. */
  readonly flows?: FlowKind
}

const kinds: Readonly<Record<HeadKind, Listed>> = {
  segments: { ability: 'segments.read', shape: SegmentHead, what: 'segments' },
  subscription_groups: { ability: 'subscription_groups.read', shape: GroupHead, what: 'subscription groups' },
  canvases: { ability: 'canvases.read', shape: FlowHead, what: 'canvases', flows: 'canvas' },
  campaigns: { ability: 'campaigns.read', shape: FlowHead, what: 'campaigns', flows: 'campaign' },
  email_templates: { ability: 'email_templates.read', shape: TemplateHead, what: 'e-mail templates' },
  content_blocks: { ability: 'content_blocks.read', shape: BlockHead, what: 'content blocks' },
  catalogs: { ability: 'catalogs.read', shape: CatalogHead, what: 'catalogs' },
}

/** Routes that list all things of a kind, without their bodies, with what uses them and a few figures. */
export function headRoutes(services: Omit<HeadServices, 'references' | 'waiting'>): Route[] {
  const all = { ...services, references: new ReferenceReader(), waiting: keepWaiting() }
  return (Object.keys(kinds) as HeadKind[]).map((kind) => {
    const { ability, shape, what, flows } = kinds[kind]
    return defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: `/admin/heads/${kind}`,
      ability,
      summary: `List all ${what} without their content, with a few figures.`,
      query: HeadsQuery,
      reply: { 200: headsReply(kind, shape, flows && draftsMember) },
      async handle(call, request) {
        const workspace_id = await selectedId(call, request)
        const heads = await headReaders[kind](call.db, workspace_id, all)
        const mayRead = (user: UserKind) => request.may?.(kinds[user].ability) ?? true
        const drafts = flows && (await listNewFlows(call.db, workspace_id, flows))
        return { [kind]: heads.map((head) => nameReadable(head, mayRead)), ...(drafts && { drafts }) }
      },
    })
  })
}
