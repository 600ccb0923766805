import Type from 'typebox'
import easel from '../../../package.json' with { type: 'json' }
import { backendOf } from '../../base/db/backends.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'

const AboutReply = Type.Object({
  version: Type.String({ description: 'The version of Easel' }),
  database: Type.String({ description: 'The kind of database, in words' }),
  service_name: Type.String({
    description: '`EASEL_SERVICE_NAME`: members of the interface such as service_id begin with it',
  }),
})

/** The route that says what runs here, to everybody who is signed in. */
export function aboutRoutes({ serviceName }: { readonly serviceName: string }): Route[] {
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: '/admin/about',
      summary: 'Read the version of Easel, the kind of its database and the name of the service.',
      ability: 'session.read',
      reply: { 200: AboutReply },
      handle: async ({ db }) => ({ version: easel.version, database: backendOf(db).label, service_name: serviceName }),
    }),
  ]
}
