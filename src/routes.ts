import { sessionListRoutes } from './accounts/accounts/session-routes.ts'
import { accountRoutes } from './accounts/administration/routes.ts'
import { keyPermissionRoutes } from './accounts/keys/permission-routes.ts'
import { scimTokenRoutes } from './accounts/keys/scim-token-routes.ts'
import { scimRoutes } from './accounts/scim/routes.ts'
import { sessionRoutes } from './accounts/sign-in/routes.ts'
import { builderRoutes } from './audience/builder/routes.ts'
import { exportListRoutes, exportRoutes } from './audience/exports/routes.ts'
import { segmentPeopleRoutes } from './audience/segments/people-routes.ts'
import { segmentRoutes } from './audience/segments/routes.ts'
import { seriesRoutes } from './audience/series/routes.ts'
import type { Route } from './base/http/route.ts'
import { configSections } from './config-sections.ts'
import { blockRoutes } from './content/blocks/routes.ts'
import { adminCatalogRoutes } from './content/catalogs/admin-routes.ts'
import { catalogRoutes } from './content/catalogs/routes.ts'
import { centerRoutes } from './content/centers/routes.ts'
import { mediaRoutes } from './content/media/routes.ts'
import { previewRoutes } from './content/rendering/routes.ts'
import { templateRoutes } from './content/templates/routes.ts'
import { uncertainRoutes } from './messaging/delivery/uncertain-routes.ts'
import { demoRoutes } from './messaging/demo/routes.ts'
import { mailHostsOf } from './messaging/domains/mail-hosts.ts'
import { domainRoutes } from './messaging/domains/routes.ts'
import { draftRoutes } from './messaging/drafts/routes.ts'
import { orderRoutes } from './messaging/expansion/routes.ts'
import { webhookRoutes } from './messaging/feedback/routes.ts'
import { publicFlowRoutes } from './messaging/flows/public-routes.ts'
import { flowRoutes } from './messaging/flows/routes.ts'
import { headRoutes } from './messaging/heads/routes.ts'
import { inboxRoutes } from './messaging/inbox/routes.ts'
import { inspectRoutes } from './messaging/inspect/routes.ts'
import { versionRoutes } from './messaging/inspect/version-routes.ts'
import { lookupRoutes } from './messaging/lookup/routes.ts'
import { messageRoutes } from './messaging/orders/message-routes.ts'
import { sendIdRoutes } from './messaging/orders/send-id-routes.ts'
import { transactionalRoutes } from './messaging/orders/transactional-routes.ts'
import { triggerRoutes } from './messaging/orders/trigger-routes.ts'
import { overviewRoutes } from './messaging/overview/routes.ts'
import { mailPreviewRoutes } from './messaging/previews/routes.ts'
import { flowSeriesRoutes } from './messaging/series/routes.ts'
import { signUpRoutes } from './messaging/sign-up/routes.ts'
import { timelineRoutes } from './messaging/timeline/routes.ts'
import { dryRunRoutes } from './messaging/why/dry-run-routes.ts'
import { whyRoutes } from './messaging/why/routes.ts'
import { emailRoutes } from './people/addresses/routes.ts'
import { smsRoutes } from './people/addresses/sms-routes.ts'
import { suppressionRoutes } from './people/addresses/suppression-routes.ts'
import { namingRoutes } from './people/aliases/routes.ts'
import { backupRoutes } from './people/backup/routes.ts'
import { cohortRoutes } from './people/cohorts/routes.ts'
import { sdkRoutes } from './people/devices/routes.ts'
import { personEditRoutes } from './people/edits/routes.ts'
import { profileExportRoutes } from './people/export/routes.ts'
import { feedRoutes } from './people/feed/routes.ts'
import { trackRoutes } from './people/intake/routes.ts'
import { listRoutes } from './people/lists/routes.ts'
import { workRoutes } from './people/merge/routes.ts'
import { workListRoutes } from './people/merge/work-routes.ts'
import { peopleSearchRoutes } from './people/search/routes.ts'
import { subscriptionRoutes } from './people/subscription/routes.ts'
import { webhookDeliveryRoutes } from './people/webhooks/routes.ts'
import { requestExamples } from './request-examples.ts'
import type { Services } from './services.ts'
import { auditRoutes } from './workspace/audit/routes.ts'
import { installationBackupRoutes } from './workspace/backups/routes.ts'
import { clockRoutes } from './workspace/clock/routes.ts'
import { fileRoutes, workspaceRoutes } from './workspace/file/routes.ts'
import { configSectionRoutes } from './workspace/file/section-routes.ts'
import { requestLogRoutes } from './workspace/requests/routes.ts'
import { aboutRoutes } from './workspace/settings/about-routes.ts'

/** Every endpoint, in one table; each line of it has its whole policy. */
export function routes(services: Services): Route[] {
  const parts = { ...services, configSections, refreshAfter: services.configCache.refreshAfter }
  const table = [
    ...trackRoutes(parts),
    ...profileExportRoutes(parts),
    ...namingRoutes(parts),
    ...workRoutes(parts),
    ...messageRoutes(parts),
    ...triggerRoutes(parts),
    ...transactionalRoutes(parts),
    ...sendIdRoutes(),
    ...publicFlowRoutes(parts),
    ...exportRoutes(parts),
    ...subscriptionRoutes(parts),
    ...cohortRoutes(),
    ...emailRoutes(parts),
    ...smsRoutes(services),
    ...webhookRoutes(parts),
    ...blockRoutes(),
    ...templateRoutes(),
    ...mediaRoutes(parts),
    ...centerRoutes(parts),
    ...segmentRoutes(parts),
    ...catalogRoutes(parts),
    ...sdkRoutes(parts),
    ...listRoutes(parts),
    ...seriesRoutes(parts),
    ...flowSeriesRoutes(parts),
    ...scimRoutes(parts),
    ...orderRoutes(parts),
    ...uncertainRoutes(parts),
    ...[...flowRoutes(parts), ...draftRoutes()],
    ...sessionRoutes(parts),
    ...clockRoutes(parts),
    ...fileRoutes(parts),
    ...workspaceRoutes(parts),
    ...backupRoutes(),
    ...[...feedRoutes(parts), ...webhookDeliveryRoutes(parts)],
    ...installationBackupRoutes(parts),
    ...overviewRoutes(parts),
    ...headRoutes(parts),
    ...demoRoutes(parts),
    ...aboutRoutes(parts),
    ...configSectionRoutes(parts),
    ...adminCatalogRoutes(parts),
    ...segmentPeopleRoutes(parts),
    ...builderRoutes(parts),
    ...dryRunRoutes(parts),
    ...personEditRoutes(parts),
    ...peopleSearchRoutes(parts),
    ...suppressionRoutes(parts),
    ...previewRoutes(parts),
    ...mailPreviewRoutes(parts),
    ...inboxRoutes(parts),
    ...timelineRoutes(parts),
    ...signUpRoutes(parts),
    ...inspectRoutes(parts),
    ...domainRoutes({ mailHosts: mailHostsOf(services.config), dnsServers: services.config.dnsServers }),
    ...versionRoutes(parts),
    ...lookupRoutes(parts),
    ...whyRoutes(parts),
    ...exportListRoutes(parts),
    ...workListRoutes(parts),
    ...auditRoutes,
    ...requestLogRoutes(parts),
    ...[accountRoutes(parts), sessionListRoutes, scimTokenRoutes(parts)].flat(),
  ]
  return [...table, ...keyPermissionRoutes(table)].map(withExample)
}

function withExample(route: Route): Route {
  const example = requestExamples[`${route.method} ${route.path}`]
  return example === undefined ? route : { ...route, example }
}
