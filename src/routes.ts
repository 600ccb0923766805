import { type AdminParts, adminRoutes } from './admin/routes.ts'
import type { Route } from './base/http/route.ts'
import { type WebhookRouteParts, webhookRoutes } from './bounces/webhooks/routes.ts'
import { campaignRoutes } from './campaigns/routes.ts'
import type { TriggerParts } from './canvas/order.ts'
import { canvasRoutes } from './canvas/routes.ts'
import type { DefineParts } from './catalogs/define.ts'
import { catalogRoutes } from './catalogs/routes.ts'
import { contentRoutes } from './content/routes.ts'
import { type DispatchParts, dispatchRoutes } from './dispatch/routes.ts'
import { type EmailParts, emailRoutes } from './email/routes.ts'
import type { AcceptParts } from './exports/accept.ts'
import { exportRoutes } from './exports/routes.ts'
import { type FlowParts, flowRoutes } from './flows/routes.ts'
import type { SendParts } from './messages/order.ts'
import { messageRoutes } from './messages/routes.ts'
import type { ScimParts } from './scim/reply.ts'
import { scimRoutes } from './scim/routes.ts'
import type { RecordParts } from './sdk/record.ts'
import { sdkRoutes } from './sdk/routes.ts'
import { type SegmentParts, segmentRoutes } from './segments/routes.ts'
import { type SubscriptionParts, subscriptionRoutes } from './subscription/routes.ts'
import type { ExportParts } from './users/export.ts'
import type { IdentifyParts } from './users/identify.ts'
import { userRoutes } from './users/routes.ts'
import type { TrackParts } from './users/track.ts'

export type RouteParts = TrackParts &
  ExportParts &
  IdentifyParts &
  SubscriptionParts &
  EmailParts &
  WebhookRouteParts &
  SegmentParts &
  AcceptParts &
  SendParts &
  TriggerParts &
  DispatchParts &
  FlowParts &
  DefineParts &
  ScimParts &
  RecordParts &
  AdminParts

/** Every endpoint of the interface, in one table; each line of it has its whole policy. */
export function routes(parts: RouteParts): Route[] {
  return [
    ...userRoutes(parts),
    ...messageRoutes(parts),
    ...canvasRoutes(parts),
    ...campaignRoutes(parts),
    ...exportRoutes(parts),
    ...subscriptionRoutes(parts),
    ...emailRoutes(parts),
    ...webhookRoutes(parts),
    ...contentRoutes(),
    ...segmentRoutes(parts),
    ...catalogRoutes(parts),
    ...sdkRoutes(parts),
    ...scimRoutes(parts),
    ...dispatchRoutes(parts),
    ...flowRoutes(parts),
    ...adminRoutes(parts),
  ]
}
