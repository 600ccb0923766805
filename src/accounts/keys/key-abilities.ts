import { type Ability, abilities, scopeOf } from '../../base/http/abilities.ts'
import type { Permission } from '../../base/http/permissions.ts'

const launchCampaign = ['campaigns.edit', 'campaigns.launch'] as const
const launchCanvas = ['canvases.launch'] as const
const changePeople = ['people.import'] as const
const changeCatalogs = ['catalogs.edit'] as const
const shrinkCatalogs = ['catalogs.end'] as const

/** What an account can do in the dashboard of what a permission of a key allows in the API. */
const abilitiesByPermission: Readonly<Partial<Record<Permission, readonly Ability[]>>> = {
  'users.track': changePeople,
  'users.track.sync': changePeople,
  'users.alias.new': changePeople,
  'users.alias.update': changePeople,
  'users.identify': changePeople,
  'users.merge': changePeople,
  'users.external_ids.rename': changePeople,
  'users.external_ids.remove': changePeople,
  'sdk.data': changePeople,
  'partners.cohorts': changePeople,
  'users.export.ids': ['people.export'],
  'users.export.segment': ['people.export'],
  'users.export.global_control_group': ['people.export'],
  'email.unsubscribe': ['suppressions.read'],
  'email.hard_bounces': ['suppressions.read'],
  'email.status': changePeople,
  'email.bounce.remove': ['suppressions.edit'],
  'email.spam.remove': ['suppressions.edit'],
  'email.blacklist': ['suppressions.edit'],
  'sms.invalid_phone_numbers': ['suppressions.read'],
  'sms.invalid_phone_numbers.remove': ['suppressions.edit'],
  'subscription.status.set': changePeople,
  'subscription.status.get': ['people.read'],
  'subscription.groups.get': ['people.read'],
  'messages.send': launchCampaign,
  'messages.schedule.create': launchCampaign,
  'messages.schedule.update': launchCampaign,
  'messages.schedule.delete': launchCampaign,
  'messages.schedule_broadcasts': ['dispatches.read'],
  'transactional.send': launchCampaign,
  'sends.id.create': launchCampaign,
  'campaigns.trigger.send': ['campaigns.launch'],
  'campaigns.trigger.schedule.create': ['campaigns.launch'],
  'campaigns.trigger.schedule.update': ['campaigns.launch'],
  'campaigns.trigger.schedule.delete': ['campaigns.launch'],
  'campaigns.list': ['campaigns.read'],
  'campaigns.details': ['campaigns.read'],
  'campaigns.duplicate': ['campaigns.edit'],
  'campaigns.data_series': ['campaigns.read'],
  'sends.data_series': ['campaigns.read'],
  'canvas.trigger.send': launchCanvas,
  'canvas.trigger.schedule.create': launchCanvas,
  'canvas.trigger.schedule.update': launchCanvas,
  'canvas.trigger.schedule.delete': launchCanvas,
  'canvas.list': ['canvases.read'],
  'canvas.details': ['canvases.read'],
  'canvas.duplicate': ['canvases.edit'],
  'canvas.data_series': ['canvases.read'],
  'canvas.data_summary': ['canvases.read'],
  'events.list': ['usage.read'],
  'custom_attributes.get': ['usage.read'],
  'custom_attributes.blocklist': ['settings.edit'],
  'events.data_series': ['usage.read'],
  'purchases.product_list': ['usage.read'],
  'purchases.quantity_series': ['usage.read'],
  'purchases.revenue_series': ['usage.read'],
  'sessions.data_series': ['usage.read'],
  'kpi.dau.data_series': ['usage.read'],
  'kpi.mau.data_series': ['usage.read'],
  'kpi.new_users.data_series': ['usage.read'],
  'kpi.uninstalls.data_series': ['usage.read'],
  'feed.list': ['usage.read'],
  'feed.details': ['usage.read'],
  'feed.data_series': ['usage.read'],
  'sdk_authentication.keys': ['apps.read'],
  'segments.list': ['segments.read'],
  'segments.data_series': ['segments.read'],
  'segments.details': ['segments.read'],
  'templates.email.create': ['email_templates.edit'],
  'templates.email.update': ['email_templates.edit'],
  'templates.email.info': ['email_templates.read'],
  'templates.email.list': ['email_templates.read'],
  'content_blocks.create': ['content_blocks.edit', 'content_blocks.launch'],
  'content_blocks.update': ['content_blocks.edit', 'content_blocks.launch'],
  'content_blocks.info': ['content_blocks.read'],
  'content_blocks.list': ['content_blocks.read'],
  'media_library.create': ['email_templates.edit'],
  'preference_center.list': ['subscription_groups.read'],
  'preference_center.get': ['subscription_groups.read'],
  'preference_center.update': ['subscription_groups.edit'],
  'preference_center.user.get': changePeople,
  'catalogs.add_items': changeCatalogs,
  'catalogs.update_items': changeCatalogs,
  'catalogs.replace_items': changeCatalogs,
  'catalogs.create_item': changeCatalogs,
  'catalogs.update_item': changeCatalogs,
  'catalogs.replace_item': changeCatalogs,
  'catalogs.create': changeCatalogs,
  'catalogs.create_fields': changeCatalogs,
  'catalogs.create_selection': changeCatalogs,
  'catalogs.delete_items': shrinkCatalogs,
  'catalogs.delete_item': shrinkCatalogs,
  'catalogs.delete': shrinkCatalogs,
  'catalogs.delete_fields': shrinkCatalogs,
  'catalogs.delete_selection': shrinkCatalogs,
  'catalogs.get': ['catalogs.read'],
  'catalogs.get_items': ['catalogs.read'],
  'catalogs.get_item': ['catalogs.read'],
}

const everyAbility = abilities.filter((ability) => scopeOf(ability) === 'workspace')

/**
 * Returns the abilities that an account needs to give these permissions to a new key, so that the key can do nothing that its maker may not
 * do. Everything is needed for a permission that no ability corresponds to: `users.delete`, `*`, and those of later releases. Pure.
 */
export function abilitiesForKey(permissions: unknown): readonly Ability[] {
  if (!Array.isArray(permissions)) return []
  const table: Readonly<Record<string, readonly Ability[]>> = abilitiesByPermission
  const needed = permissions.map((name) => (Object.hasOwn(table, String(name)) ? table[String(name)]! : everyAbility))
  return [...new Set(needed.flat())]
}
