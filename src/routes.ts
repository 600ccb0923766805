import { type AdminParts, adminRoutes } from './admin/routes.ts'
import type { Route } from './base/http/route.ts'
import { subscriptionRoutes } from './subscription/routes.ts'
import type { StatusParts } from './subscription/status.ts'
import type { ExportParts } from './users/export.ts'
import { userRoutes } from './users/routes.ts'
import type { TrackParts } from './users/track.ts'

export type RouteParts = TrackParts & ExportParts & StatusParts & AdminParts

/** Every endpoint of the interface, in one table; each line of it has its whole policy. */
export function routes(parts: RouteParts): Route[] {
  return [...userRoutes(parts), ...subscriptionRoutes(parts), ...adminRoutes(parts)]
}
