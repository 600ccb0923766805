import { defineRoute, type Route } from '../../base/http/route.ts'
import type { CenterLinkSettings } from './center-link.ts'
import { createCenter, describeCenter, listCenters, updateCenter } from './centers.ts'
import { linkForPerson } from './link-for-person.ts'
import {
  CenterLinkReply,
  CenterPath,
  CenterReply,
  CenterUserPath,
  CreateCenterBody,
  CreatedCenterReply,
  ListCentersReply,
  UpdateCenterBody,
  UpdatedCenterReply,
} from './schema.ts'

const all = { errors: 'standard', limit: 'preference_centers' } as const
const onePath = '/preference_center/v1/{preference_center_external_id}'

/** Everything under `/preference_center/v1` (contract 10.5). */
export function centerRoutes(settings: CenterLinkSettings): Route[] {
  return [
    defineRoute({
      ...all,
      method: 'GET',
      path: '/preference_center/v1/list',
      permission: 'preference_center.list',
      summary: 'List preference centers, oldest first',
      reply: { 200: ListCentersReply },
      handle: (call) => listCenters(call),
    }),
    defineRoute({
      ...all,
      method: 'POST',
      path: '/preference_center/v1',
      permission: 'preference_center.update',
      summary: 'Create a preference center: a page on which people choose their mail',
      body: CreateCenterBody,
      reply: { 201: CreatedCenterReply },
      handle: (call, { body }) => createCenter(call, body),
    }),
    defineRoute({
      ...all,
      method: 'GET',
      path: onePath,
      permission: 'preference_center.get',
      summary: 'Get a preference center',
      params: CenterPath,
      reply: { 200: CenterReply },
      handle: (call, { params }) => describeCenter(call, params.preference_center_external_id),
    }),
    defineRoute({
      ...all,
      method: 'PUT',
      path: onePath,
      permission: 'preference_center.update',
      summary: 'Update a preference center; absent fields keep their values',
      params: CenterPath,
      body: UpdateCenterBody,
      reply: { 200: UpdatedCenterReply },
      handle: (call, { params, body }) => updateCenter(call, params.preference_center_external_id, body),
    }),
    defineRoute({
      ...all,
      method: 'GET',
      path: `${onePath}/url/{user_id}`,
      permission: 'preference_center.user.get',
      summary: 'Get the link to a preference center for one person',
      params: CenterUserPath,
      reply: { 200: CenterLinkReply },
      handle: (call, { params }) => linkForPerson(call, params.preference_center_external_id, params.user_id, settings),
    }),
  ]
}
