import { readBoolean } from '../../base/http/query.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { deleteAccount, editAccount } from './edit-account.ts'
import { type AdministrationServices, inviteAccount } from './invite-account.ts'
import { permissionRoutes } from './permission-routes.ts'
import { readAccount, readAccounts, readHolders } from './read-accounts.ts'
import {
  AccountPatchShape,
  AccountsQuery,
  AccountsReply,
  DeleteQuery,
  HoldersReply,
  InvitedReply,
  InviteShape,
  MailedLinkReply,
  OneAccountReply,
} from './schema.ts'

const path = '/admin/accounts'
const single = `${path}/{id}`
const read = { permission: 'admin', ability: 'accounts.read', errors: 'standard', method: 'GET' } as const
const edit = { permission: 'admin', ability: 'accounts.edit', errors: 'standard' } as const

const unknown = { 404: 'There is no account with this id.' }
const stale = { 412: 'The account no longer has the version in `If-Match`; nothing was changed.' }
const taken = 'An account has this name'
const own = 'it is the account that makes the request, would lose something, and `confirm_own` is missing'

/** Accounts, as administrators of the company look at them and change them. */
export function accountRoutes(services: AdministrationServices): Route[] {
  return [
    defineRoute({
      ...read,
      path,
      summary: 'List accounts by their names, or search them.',
      query: AccountsQuery,
      reply: { 200: AccountsReply },
      handle: readAccounts,
    }),
    defineRoute({
      ...edit,
      method: 'POST',
      path,
      summary: 'Create an account, and mail it a link to sign in.',
      body: InviteShape,
      reply: { 201: InvitedReply },
      refusals: { 409: `${taken}.` },
      handle: (call, request) => inviteAccount(call, request, services),
    }),
    defineRoute({
      ...read,
      tagged: true,
      path: single,
      summary: 'Read an account with what it may do in each workspace.',
      reply: { 200: OneAccountReply },
      refusals: { ...unknown, 304: 'The account has the tag in `If-None-Match`; no body.' },
      handle: readAccount,
    }),
    ...changeRoutes(services),
    defineRoute({
      ...read,
      path: '/admin/holders',
      summary: 'Count the accounts that have each role, permission set and team of a workspace.',
      query: WorkspaceQuery,
      reply: { 200: HoldersReply },
      handle: readHolders,
    }),
    ...permissionRoutes,
  ]
}

function changeRoutes(services: AdministrationServices): Route[] {
  return [
    defineRoute({
      ...edit,
      tagged: true,
      method: 'PATCH',
      path: single,
      summary: 'Change some properties of an account, also its name. Nobody can give what they may not do themselves.',
      body: AccountPatchShape,
      reply: { 200: OneAccountReply },
      refusals: { ...unknown, ...stale, 409: `${taken}; or ${own}.` },
      handle: (call, request) => editAccount(call, request, services),
    }),
    defineRoute({
      ...edit,
      tagged: true,
      method: 'DELETE',
      path: single,
      summary: 'Delete an account and end its sessions.',
      query: DeleteQuery,
      reply: { 204: null },
      refusals: { ...unknown, ...stale, 409: `A conflict: ${own}.` },
      handle: (call, request) => deleteAccount(call, request, readBoolean(request.query, 'confirm_own'), services),
    }),
    defineRoute({
      ...edit,
      method: 'POST',
      path: `${single}/link`,
      summary: 'Mail a link to sign in to an account.',
      reply: { 200: MailedLinkReply },
      refusals: { ...unknown, 409: 'The account is disabled, or has too many links that still work.' },
      handle: async (call, { params }) => ({ link: await services.signIn.accountLinks.mail(params.id!, 'link', call) }),
    }),
  ]
}
