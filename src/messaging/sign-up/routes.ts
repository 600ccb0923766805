import Type from 'typebox'
import type { Call } from '../../base/call.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import {
  countConfirmations,
  type ListConfirmationServices,
  listConfirmations,
} from '../../people/confirmations/list-confirmations.ts'
import {
  ConfirmationCountsReply,
  ConfirmationsQuery,
  ConfirmationsReply,
  ResendReply,
} from '../../people/confirmations/schema.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { describeEmbed, type EmbedSettings } from './embed.ts'
import {
  type ConfirmationPath,
  resendConfirmation,
  type SteerServices,
  withdrawConfirmation,
} from './steer-confirmations.ts'

const admin = { permission: 'admin', errors: 'standard' } as const
const ofPerson = '/admin/people/{id}/confirmations/{group}'
const unknownGroup = { 404: 'There is no subscription_group with this id, or no such workspace.' }
const unknownConfirmation = 'There is no such person, or the person was not asked to confirm the group.'

const EmbedReply = Type.Object({
  url: Type.String({ format: 'uri', description: 'The page of the form.' }),
  snippet: Type.String({ description: 'HTML of a form that leads to the page.' }),
  iframe: Type.Union([Type.String(), Type.Null()], {
    description: 'HTML that shows the page in a frame. null: no site may do that (`embed_origins`).',
  }),
})

export type SignUpRouteServices = SteerServices & ListConfirmationServices & EmbedSettings

/** Routes by which administrators see what people were asked to confirm, and put forms on pages. */
export function signUpRoutes(services: SignUpRouteServices): Route[] {
  return [...groupRoutes(services), ...personRoutes(services), embedRoute(services)]
}

function groupRoutes(services: SignUpRouteServices): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/subscription_groups/{id}/confirmations',
      ability: 'people.read',
      summary: 'List who was asked to confirm a group, newest first.',
      query: ConfirmationsQuery,
      reply: { 200: ConfirmationsReply },
      refusals: unknownGroup,
      handle: async (call, request) => {
        const of = { workspace_id: await selectedId(call, request), id: request.params.id! }
        return listConfirmations(call, of, request.query, services)
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/subscription_groups/{id}/confirmation_counts',
      ability: 'subscription_groups.read',
      summary: 'Count who was asked to confirm a group, by state.',
      query: WorkspaceQuery,
      reply: { 200: ConfirmationCountsReply },
      refusals: unknownGroup,
      handle: async (call, request) => {
        return countConfirmations(call, { workspace_id: await selectedId(call, request), id: request.params.id! })
      },
    }),
  ]
}

function personRoutes(services: SignUpRouteServices): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${ofPerson}/resend`,
      ability: 'people.edit',
      summary: 'Send the mail or text that asks a person to confirm a group again.',
      query: WorkspaceQuery,
      reply: { 201: ResendReply },
      refusals: { 404: unknownConfirmation, 409: 'Nothing may be sent; the message has the reason.' },
      handle: async (call, request) => {
        return resendConfirmation(call, await confirmationOf(call, request), services)
      },
    }),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path: ofPerson,
      ability: 'people.edit',
      summary: 'Withdraw what a person was asked to confirm: the link or keyword does not work any more.',
      query: WorkspaceQuery,
      reply: { 204: null },
      refusals: { 404: unknownConfirmation, 409: 'The person has confirmed.' },
      handle: async (call, request) => {
        await withdrawConfirmation(call, await confirmationOf(call, request), services)
        return undefined
      },
    }),
  ]
}

/** Reads which confirmation a request is about. Throws 404 when there is no such workspace. */
async function confirmationOf(call: Call, request: Request): Promise<ConfirmationPath> {
  const { id = '', group = '' } = request.params
  return { workspace_id: await selectedId(call, request), id, groupId: group }
}

function embedRoute(services: SignUpRouteServices): Route {
  return defineRoute({
    ...admin,
    method: 'GET',
    path: '/admin/sign_up_forms/{id}/embed',
    ability: 'sign_up_forms.read',
    summary: 'Get the address of a sign-up form, and HTML that puts it on a page.',
    query: WorkspaceQuery,
    reply: { 200: EmbedReply },
    refusals: { 404: 'There is no sign_up_form with this id, or no such workspace.' },
    handle: async (call, request) => {
      const workspace = services.workspaces.get(await selectedId(call, request))
      return describeEmbed(call.db, workspace, request.params.id!, services)
    },
  })
}
