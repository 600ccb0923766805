import { defineRoute, type Route } from '../../base/http/route.ts'
import { ListQuery } from '../texts/schema.ts'
import { createBlock, describeBlock, listBlocks, updateBlock } from './blocks.ts'
import {
  BlockQuery,
  BlockReply,
  CreateBlockBody,
  CreatedBlockReply,
  ListBlocksReply,
  UpdateBlockBody,
  UpdatedBlockReply,
} from './schema.ts'

/** Everything under `/content_blocks` (contract 10.5). */
export function blockRoutes(): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/content_blocks/create',
      permission: 'content_blocks.create',
      errors: 'standard',
      summary: 'Create a content block: a text that templates include by its name',
      body: CreateBlockBody,
      reply: { 201: CreatedBlockReply },
      handle: (call, { body }) => createBlock(call, body),
    }),
    defineRoute({
      method: 'POST',
      path: '/content_blocks/update',
      permission: 'content_blocks.update',
      errors: 'standard',
      summary: 'Update a content block; absent fields keep their values',
      body: UpdateBlockBody,
      reply: { 201: UpdatedBlockReply },
      handle: (call, { body }) => updateBlock(call, body),
    }),
    defineRoute({
      method: 'GET',
      path: '/content_blocks/list',
      permission: 'content_blocks.list',
      errors: 'standard',
      summary: 'List content blocks, oldest first',
      query: ListQuery,
      reply: { 200: ListBlocksReply },
      handle: (call, { query }) => listBlocks(call, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/content_blocks/info',
      permission: 'content_blocks.info',
      errors: 'standard',
      summary: 'Get a content block',
      query: BlockQuery,
      reply: { 200: BlockReply },
      handle: (call, { query }) => describeBlock(call, query),
    }),
  ]
}
