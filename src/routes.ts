import type { ScimParts } from './accounts/scim/reply.ts'
import { scimRoutes } from './accounts/scim/routes.ts'
import { type AdminParts, adminRoutes } from './admin-routes.ts'
import type { AcceptParts } from './audience/exports/accept.ts'
import { exportRoutes } from './audience/exports/routes.ts'
import { type SegmentParts, segmentRoutes } from './audience/segments/routes.ts'
import type { Route } from './base/http/route.ts'
import { blockRoutes } from './content/blocks/routes.ts'
import type { DefineParts } from './content/catalogs/define.ts'
import { catalogRoutes } from './content/catalogs/routes.ts'
import { templateRoutes } from './content/templates/routes.ts'
import { type DispatchParts, dispatchRoutes } from './messaging/expansion/routes.ts'
import { type WebhookRouteParts, webhookRoutes } from './messaging/feedback/routes.ts'
import { publicFlowRoutes } from './messaging/flows/public-routes.ts'
import { type FlowParts, flowRoutes } from './messaging/flows/routes.ts'
import { campaignRoutes } from './messaging/orders/campaign-routes.ts'
import { canvasRoutes } from './messaging/orders/canvas-routes.ts'
import type { TriggerParts } from './messaging/orders/flow-order.ts'
import { messageRoutes } from './messaging/orders/message-routes.ts'
import type { SendParts } from './messaging/orders/order.ts'
import { type EmailParts, emailRoutes } from './people/addresses/routes.ts'
import { namingRoutes } from './people/aliases/routes.ts'
import type { RecordParts } from './people/devices/record.ts'
import { sdkRoutes } from './people/devices/routes.ts'
import type { ExportParts } from './people/export/export.ts'
import { profileExportRoutes } from './people/export/routes.ts'
import { trackRoutes } from './people/intake/routes.ts'
import type { TrackParts } from './people/intake/track.ts'
import type { IdentifyParts } from './people/merge/identify.ts'
import { workRoutes } from './people/merge/routes.ts'
import { type SubscriptionParts, subscriptionRoutes } from './people/subscription/routes.ts'

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
    ...trackRoutes(parts),
    ...profileExportRoutes(parts),
    ...namingRoutes(parts),
    ...workRoutes(parts),
    ...messageRoutes(parts),
    ...canvasRoutes(parts),
    ...campaignRoutes(parts),
    ...publicFlowRoutes(parts),
    ...exportRoutes(parts),
    ...subscriptionRoutes(parts),
    ...emailRoutes(parts),
    ...webhookRoutes(parts),
    ...blockRoutes(),
    ...templateRoutes(),
    ...segmentRoutes(parts),
    ...catalogRoutes(parts),
    ...sdkRoutes(parts),
    ...scimRoutes(parts),
    ...dispatchRoutes(parts),
    ...flowRoutes(parts),
    ...adminRoutes(parts),
  ]
}
