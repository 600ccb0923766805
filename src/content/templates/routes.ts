import { defineRoute, type Route } from '../../base/http/route.ts'
import { ListQuery } from '../texts/schema.ts'
import {
  CreateTemplateBody,
  ListTemplatesReply,
  TemplateQuery,
  TemplateReply,
  UpdateTemplateBody,
  WrittenTemplateReply,
} from './schema.ts'
import { createTemplate, describeTemplate, listTemplates, updateTemplate } from './templates.ts'

/** Everything under `/templates/email` (contract 4.11). */
export function templateRoutes(): Route[] {
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
      summary: 'Update an e-mail template; absent fields keep their values',
      body: UpdateTemplateBody,
      reply: { 200: WrittenTemplateReply },
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
      summary: 'Get an e-mail template',
      query: TemplateQuery,
      reply: { 200: TemplateReply },
      handle: (call, { query }) => describeTemplate(call, query),
    }),
  ]
}
