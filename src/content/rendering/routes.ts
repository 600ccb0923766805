import { defineRoute, type Route } from '../../base/http/route.ts'
import { createBlock, describeBlock, listBlocks, updateBlock } from '../blocks/blocks.ts'
import {
  BlockQuery,
  BlockReply,
  CreateBlockBody,
  CreatedBlockReply,
  CreateTemplateBody,
  ListBlocksReply,
  ListQuery,
  ListTemplatesReply,
  TemplateQuery,
  TemplateReply,
  UpdateBlockBody,
  UpdatedBlockReply,
  UpdateTemplateBody,
  WrittenTemplateReply,
} from '../liquid/schema.ts'
import { createTemplate, describeTemplate, listTemplates, updateTemplate } from '../templates/templates.ts'

export function contentRoutes(): Route[] {
  return [...blockRoutes(), ...templateRoutes()]
}

function blockRoutes(): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/content_blocks/create',
      permission: 'content_blocks.create',
      errors: 'standard',
      summary: 'Create a piece of text that templates include by its name',
      body: CreateBlockBody,
      reply: { 201: CreatedBlockReply },
      handle: (call, { body }) => createBlock(call, body),
    }),
    defineRoute({
      method: 'POST',
      path: '/content_blocks/update',
      permission: 'content_blocks.update',
      errors: 'standard',
      summary: 'Change a content block; what is left out stays',
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
      summary: 'Show one content block',
      query: BlockQuery,
      reply: { 200: BlockReply },
      handle: (call, { query }) => describeBlock(call, query),
    }),
  ]
}

function templateRoutes(): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/templates/email/create',
      permission: 'templates.email.create',
      errors: 'standard',
      summary: 'Create an e-mail template',
      body: CreateTemplateBody,
      reply: { 201: WrittenTemplateReply },
      handle: (call, { body }) => createTemplate(call, body),
    }),
    defineRoute({
      method: 'POST',
      path: '/templates/email/update',
      permission: 'templates.email.update',
      errors: 'standard',
      summary: 'Change an e-mail template; what is left out stays',
      body: UpdateTemplateBody,
      reply: { 201: WrittenTemplateReply },
      handle: (call, { body }) => updateTemplate(call, body),
    }),
    defineRoute({
      method: 'GET',
      path: '/templates/email/list',
      permission: 'templates.email.list',
      errors: 'standard',
      summary: 'List e-mail templates, oldest first',
      query: ListQuery,
      reply: { 200: ListTemplatesReply },
      handle: (call, { query }) => listTemplates(call, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/templates/email/info',
      permission: 'templates.email.info',
      errors: 'standard',
      summary: 'Show one e-mail template',
      query: TemplateQuery,
      reply: { 200: TemplateReply },
      handle: (call, { query }) => describeTemplate(call, query),
    }),
  ]
}
