import { defineRoute, type Route } from '../../base/http/route.ts'
import { type ReadFeedServices, readFeed } from './read-feed.ts'
import { FeedLine, FeedQuery, feedOff } from './schema.ts'

export function feedRoutes(services: ReadFeedServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/admin/feed',
      permission: 'admin',
      errors: 'standard',
      summary: 'Read events of messages, subscriptions and people in order, as JSON lines.',
      ability: 'feed.read',
      query: FeedQuery,
      answersLines: true,
      reply: { 200: FeedLine },
      refusals: { 409: feedOff, 410: 'Events after this cursor are no longer kept.' },
      handle: (call, request) => readFeed(call, request, services),
    }),
  ]
}
