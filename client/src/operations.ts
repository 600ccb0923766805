// Written by npm run generate from /openapi.json, with scripts/client-package.ts.
import { type Ask, byCursor, byLink, byOffset, byPage } from './paging.ts'
import type { CallOptions, KeyedOptions, SentRequest } from './transport.ts'
import type * as T from './types.ts'

type Send = <Reply>(request: SentRequest, options: KeyedOptions) => Promise<Reply>

/** A method for each operation, with its name in `/openapi.json`. */
export class Operations {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  /** Record events and purchases, update attributes. `POST /users/track` */
  postUsersTrack(body: T.PostUsersTrackBody, options: KeyedOptions = {}): Promise<T.PostUsersTrackReply> {
    return this.#send({ method: 'POST', path: '/users/track', body }, options)
  }

  /** Record and update up to 1,000 objects at once, 100 per person. `POST /users/track/bulk` */
  postUsersTrackBulk(body: T.PostUsersTrackBody, options: KeyedOptions = {}): Promise<T.PostUsersTrackReply> {
    return this.#send({ method: 'POST', path: '/users/track/bulk', body }, options)
  }

  /** Export profiles by identifier. `POST /users/export/ids` */
  postUsersExportIds(body: T.PostUsersExportIdsBody, options: CallOptions = {}): Promise<T.PostUsersExportIdsReply> {
    return this.#send({ method: 'POST', path: '/users/export/ids', body }, options)
  }

  /** Record or update one object, and return what it changed of the person. `POST /users/track/sync` */
  postUsersTrackSync(body: T.PostUsersTrackSyncBody, options: CallOptions = {}): Promise<T.PostUsersTrackSyncReply> {
    return this.#send({ method: 'POST', path: '/users/track/sync', body }, options)
  }

  /** Add aliases to people, or create people who have only an alias. `POST /users/alias/new` */
  postUsersAliasNew(body: T.PostUsersAliasNewBody, options: CallOptions = {}): Promise<T.PostUsersAliasNewReply> {
    return this.#send({ method: 'POST', path: '/users/alias/new', body }, options)
  }

  /** Change the names of aliases. `POST /users/alias/update` */
  postUsersAliasUpdate(body: T.PostUsersAliasUpdateBody, options: CallOptions = {}): Promise<T.PostUsersAliasUpdateReply> {
    return this.#send({ method: 'POST', path: '/users/alias/update', body }, options)
  }

  /** Give people a new external_id and keep the former one. `POST /users/external_ids/rename` */
  postUsersExternalIdsRename(body: T.PostUsersExternalIdsRenameBody, options: CallOptions = {}): Promise<T.PostUsersExternalIdsRenameReply> {
    return this.#send({ method: 'POST', path: '/users/external_ids/rename', body }, options)
  }

  /** Remove former external ids of people. `POST /users/external_ids/remove` */
  postUsersExternalIdsRemove(body: T.PostUsersExternalIdsRemoveBody, options: CallOptions = {}): Promise<T.PostUsersExternalIdsRemoveReply> {
    return this.#send({ method: 'POST', path: '/users/external_ids/remove', body }, options)
  }

  /** Accept merges of profiles. `POST /users/merge` */
  postUsersMerge(body: T.PostUsersMergeBody, options: CallOptions = {}): Promise<T.PostUsersMergeReply> {
    return this.#send({ method: 'POST', path: '/users/merge', body }, options)
  }

  /** Accept deletions of profiles. `POST /users/delete` */
  postUsersDelete(body: T.PostUsersDeleteBody, options: CallOptions = {}): Promise<T.PostUsersDeleteReply> {
    return this.#send({ method: 'POST', path: '/users/delete', body }, options)
  }

  /** Give an external_id to people who are known by an alias or an address. `POST /users/identify` */
  postUsersIdentify(body: T.PostUsersIdentifyBody, options: CallOptions = {}): Promise<T.PostUsersIdentifyReply> {
    return this.#send({ method: 'POST', path: '/users/identify', body }, options)
  }

  /** Send messages to people now. `POST /messages/send` */
  postMessagesSend(body: T.PostMessagesSendBody, options: KeyedOptions = {}): Promise<T.PostMessagesSendReply> {
    return this.#send({ method: 'POST', path: '/messages/send', body }, options)
  }

  /** Send messages to people at a later time. `POST /messages/schedule/create` */
  postMessagesScheduleCreate(body: T.PostMessagesScheduleCreateBody, options: KeyedOptions = {}): Promise<T.PostMessagesScheduleCreateReply> {
    return this.#send({ method: 'POST', path: '/messages/schedule/create', body }, options)
  }

  /** Change messages that wait for their time. `POST /messages/schedule/update` */
  postMessagesScheduleUpdate(body: T.PostMessagesScheduleUpdateBody, options: KeyedOptions = {}): Promise<T.PostMessagesScheduleUpdateReply> {
    return this.#send({ method: 'POST', path: '/messages/schedule/update', body }, options)
  }

  /** Cancel messages that wait for their time. `POST /messages/schedule/delete` */
  postMessagesScheduleDelete(body: T.PostMessagesScheduleDeleteBody, options: KeyedOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/messages/schedule/delete', body }, options)
  }

  /** List what canvases and campaigns send next by their own schedules. `GET /messages/scheduled_broadcasts` */
  getMessagesScheduledBroadcasts(query: T.GetMessagesScheduledBroadcastsQuery, options: CallOptions = {}): Promise<T.ScheduledBroadcastsReply> {
    return this.#send({ method: 'GET', path: '/messages/scheduled_broadcasts', query }, options)
  }

  /** List the same, with end_time in the body or in the query. `POST /messages/scheduled_broadcasts` */
  postMessagesScheduledBroadcasts(body: T.PostMessagesScheduledBroadcastsBody, query: T.PostMessagesScheduledBroadcastsQuery = {}, options: CallOptions = {}): Promise<T.ScheduledBroadcastsReply> {
    return this.#send({ method: 'POST', path: '/messages/scheduled_broadcasts', query, body }, options)
  }

  /** Let people enter a canvas now. `POST /canvas/trigger/send` */
  postCanvasTriggerSend(body: T.PostCanvasTriggerSendBody, options: KeyedOptions = {}): Promise<T.PostCanvasTriggerSendReply> {
    return this.#send({ method: 'POST', path: '/canvas/trigger/send', body }, options)
  }

  /** Let people enter a canvas at a later time. `POST /canvas/trigger/schedule/create` */
  postCanvasTriggerScheduleCreate(body: T.PostCanvasTriggerScheduleCreateBody, options: KeyedOptions = {}): Promise<T.PostCanvasTriggerScheduleCreateReply> {
    return this.#send({ method: 'POST', path: '/canvas/trigger/schedule/create', body }, options)
  }

  /** Change when people enter a canvas. `POST /canvas/trigger/schedule/update` */
  postCanvasTriggerScheduleUpdate(body: T.PostCanvasTriggerScheduleUpdateBody, options: KeyedOptions = {}): Promise<T.PostCanvasTriggerScheduleUpdateReply> {
    return this.#send({ method: 'POST', path: '/canvas/trigger/schedule/update', body }, options)
  }

  /** Cancel an order of a canvas that waits for its time. `POST /canvas/trigger/schedule/delete` */
  postCanvasTriggerScheduleDelete(body: T.PostCanvasTriggerScheduleDeleteBody, options: KeyedOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/canvas/trigger/schedule/delete', body }, options)
  }

  /** Send a campaign to people now. `POST /campaigns/trigger/send` */
  postCampaignsTriggerSend(body: T.PostCampaignsTriggerSendBody, options: KeyedOptions = {}): Promise<T.PostMessagesSendReply> {
    return this.#send({ method: 'POST', path: '/campaigns/trigger/send', body }, options)
  }

  /** Send a campaign to people at a later time. `POST /campaigns/trigger/schedule/create` */
  postCampaignsTriggerScheduleCreate(body: T.PostCampaignsTriggerScheduleCreateBody, options: KeyedOptions = {}): Promise<T.PostMessagesScheduleCreateReply> {
    return this.#send({ method: 'POST', path: '/campaigns/trigger/schedule/create', body }, options)
  }

  /** Change when people get a campaign. `POST /campaigns/trigger/schedule/update` */
  postCampaignsTriggerScheduleUpdate(body: T.PostCampaignsTriggerScheduleUpdateBody, options: KeyedOptions = {}): Promise<T.PostCanvasTriggerScheduleUpdateReply> {
    return this.#send({ method: 'POST', path: '/campaigns/trigger/schedule/update', body }, options)
  }

  /** Cancel an order of a campaign that waits for its time. `POST /campaigns/trigger/schedule/delete` */
  postCampaignsTriggerScheduleDelete(body: T.PostCampaignsTriggerScheduleDeleteBody, options: KeyedOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/campaigns/trigger/schedule/delete', body }, options)
  }

  /** Send a transactional campaign to one person now. `POST /transactional/v1/campaigns/{campaign_id}/send` */
  postTransactionalV1CampaignsCampaignIdSend(campaign_id: string, body: T.PostTransactionalV1CampaignsCampaignIdSendBody, options: KeyedOptions = {}): Promise<T.PostTransactionalV1CampaignsCampaignIdSendReply> {
    return this.#send({ method: 'POST', path: `/transactional/v1/campaigns/${encodeURIComponent(campaign_id)}/send`, body }, options)
  }

  /** Create a send id, under which the messages of a campaign are counted. `POST /sends/id/create` */
  postSendsIdCreate(body: T.PostSendsIdCreateBody, options: KeyedOptions = {}): Promise<T.PostSendsIdCreateReply> {
    return this.#send({ method: 'POST', path: '/sends/id/create', body }, options)
  }

  /** Copy a canvas under a new name, as a draft. `POST /canvas/duplicate` */
  postCanvasDuplicate(body: T.PostCanvasDuplicateBody, options: CallOptions = {}): Promise<T.IdReply> {
    return this.#send({ method: 'POST', path: '/canvas/duplicate', body }, options)
  }

  /** Copy a campaign under a new name, as a draft. `POST /campaigns/duplicate` */
  postCampaignsDuplicate(body: T.PostCampaignsDuplicateBody, options: CallOptions = {}): Promise<T.IdReply> {
    return this.#send({ method: 'POST', path: '/campaigns/duplicate', body }, options)
  }

  /** List canvases, 100 to a page. `GET /canvas/list` */
  getCanvasList(query: T.GetCanvasListQuery = {}, options: CallOptions = {}): Promise<T.GetCanvasListReply> {
    return this.#send({ method: 'GET', path: '/canvas/list', query }, options)
  }

  /** Get a canvas with its variants and steps. `GET /canvas/details` */
  getCanvasDetails(query: T.GetCanvasDetailsQuery, options: CallOptions = {}): Promise<T.GetCanvasDetailsReply> {
    return this.#send({ method: 'GET', path: '/canvas/details', query }, options)
  }

  /** List campaigns, 100 to a page. `GET /campaigns/list` */
  getCampaignsList(query: T.GetCampaignsListQuery = {}, options: CallOptions = {}): Promise<T.GetCampaignsListReply> {
    return this.#send({ method: 'GET', path: '/campaigns/list', query }, options)
  }

  /** Get a campaign with its messages. `GET /campaigns/details` */
  getCampaignsDetails(query: T.GetCampaignsDetailsQuery, options: CallOptions = {}): Promise<T.GetCampaignsDetailsReply> {
    return this.#send({ method: 'GET', path: '/campaigns/details', query }, options)
  }

  /** Accept an export of all people of a segment to a file. `POST /users/export/segment` */
  postUsersExportSegment(body: T.PostUsersExportSegmentBody, options: CallOptions = {}): Promise<T.PostUsersExportSegmentReply> {
    return this.#send({ method: 'POST', path: '/users/export/segment', body }, options)
  }

  /** Accept an export of all people of the global control group to a file. `POST /users/export/global_control_group` */
  postUsersExportGlobalControlGroup(body: T.PostUsersExportGlobalControlGroupBody, options: CallOptions = {}): Promise<T.PostUsersExportSegmentReply> {
    return this.#send({ method: 'POST', path: '/users/export/global_control_group', body }, options)
  }

  /** Subscribe or unsubscribe up to 50 users, in several groups. `POST /v2/subscription/status/set` */
  postV2SubscriptionStatusSet(body: T.PostV2SubscriptionStatusSetBody, options: CallOptions = {}): Promise<T.PostUsersAliasUpdateReply> {
    return this.#send({ method: 'POST', path: '/v2/subscription/status/set', body }, options)
  }

  /** Subscribe or unsubscribe up to 50 users in one group. `POST /subscription/status/set` */
  postSubscriptionStatusSet(body: T.PostSubscriptionStatusSetBody, options: CallOptions = {}): Promise<T.PostUsersAliasUpdateReply> {
    return this.#send({ method: 'POST', path: '/subscription/status/set', body }, options)
  }

  /** Get the state of users in one subscription group. `GET /subscription/status/get` */
  getSubscriptionStatusGet(query: T.GetSubscriptionStatusGetQuery, options: CallOptions = {}): Promise<T.GetSubscriptionStatusGetReply> {
    return this.#send({ method: 'GET', path: '/subscription/status/get', query }, options)
  }

  /** List the subscription groups of people. `GET /subscription/user/status` */
  getSubscriptionUserStatus(query: T.GetSubscriptionUserStatusQuery = {}, options: CallOptions = {}): Promise<T.GetSubscriptionUserStatusReply> {
    return this.#send({ method: 'GET', path: '/subscription/user/status', query }, options)
  }

  /** Create a cohort of a partner, or change its name. `POST /partners/{partner}/cohorts` */
  postPartnersPartnerCohorts(partner: string, body: T.PostPartnersPartnerCohortsBody, options: CallOptions = {}): Promise<T.PostUsersAliasUpdateReply> {
    return this.#send({ method: 'POST', path: `/partners/${encodeURIComponent(partner)}/cohorts`, body }, options)
  }

  /** Add people to a cohort, or take them out of it. `POST /partners/{partner}/cohorts/users` */
  postPartnersPartnerCohortsUsers(partner: string, body: T.PostPartnersPartnerCohortsUsersBody, options: CallOptions = {}): Promise<T.PostUsersAliasUpdateReply> {
    return this.#send({ method: 'POST', path: `/partners/${encodeURIComponent(partner)}/cohorts/users`, body }, options)
  }

  /** Set the subscription state of e-mail addresses, for all people who have them now or later. `POST /email/status` */
  postEmailStatus(body: T.PostEmailStatusBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/email/status', body }, options)
  }

  /** List e-mail addresses that have unsubscribed. `GET /email/unsubscribes` */
  getEmailUnsubscribes(query: T.GetEmailUnsubscribesQuery, options: CallOptions = {}): Promise<T.GetEmailUnsubscribesReply> {
    return this.#send({ method: 'GET', path: '/email/unsubscribes', query }, options)
  }

  /** List e-mail addresses with hard bounces. `GET /email/hard_bounces` */
  getEmailHardBounces(query: T.GetEmailHardBouncesQuery, options: CallOptions = {}): Promise<T.GetEmailHardBouncesReply> {
    return this.#send({ method: 'GET', path: '/email/hard_bounces', query }, options)
  }

  /** Remove addresses from the list of hard bounces. `POST /email/bounce/remove` */
  postEmailBounceRemove(body: T.EmailBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/email/bounce/remove', body }, options)
  }

  /** Remove the spam mark of addresses. `POST /email/spam/remove` */
  postEmailSpamRemove(body: T.EmailBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/email/spam/remove', body }, options)
  }

  /** Unsubscribe addresses and suppress them. `POST /email/blocklist` */
  postEmailBlocklist(body: T.EmailBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/email/blocklist', body }, options)
  }

  /** The former name of /email/blocklist. `POST /email/blacklist` */
  postEmailBlacklist(body: T.EmailBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/email/blacklist', body }, options)
  }

  /** List phone numbers that a provider of text messages has refused for good. `GET /sms/invalid_phone_numbers` */
  getSmsInvalidPhoneNumbers(query: T.GetSmsInvalidPhoneNumbersQuery = {}, options: CallOptions = {}): Promise<T.GetSmsInvalidPhoneNumbersReply> {
    return this.#send({ method: 'GET', path: '/sms/invalid_phone_numbers', query }, options)
  }

  /** Remove phone numbers from the list of invalid ones. `POST /sms/invalid_phone_numbers/remove` */
  postSmsInvalidPhoneNumbersRemove(body: T.PostSmsInvalidPhoneNumbersRemoveBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: '/sms/invalid_phone_numbers/remove', body }, options)
  }

  /** Receive events about mails from Amazon SES, through SNS. `POST /webhooks/amazon-ses/{workspace}` */
  postWebhooksAmazonSesWorkspace(workspace: string, body: T.PostWebhooksAmazonSesWorkspaceBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: `/webhooks/amazon-ses/${encodeURIComponent(workspace)}`, body }, options)
  }

  /** Receive events about mails from SendGrid. `POST /webhooks/sendgrid/{workspace}` */
  postWebhooksSendgridWorkspace(workspace: string, body: T.PostWebhooksSendgridWorkspaceBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: `/webhooks/sendgrid/${encodeURIComponent(workspace)}`, body }, options)
  }

  /** Receive events about mails from Mailgun. `POST /webhooks/mailgun/{workspace}` */
  postWebhooksMailgunWorkspace(workspace: string, body: T.PostWebhooksMailgunWorkspaceBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: `/webhooks/mailgun/${encodeURIComponent(workspace)}`, body }, options)
  }

  /** Create a content block: a text that templates include by its name. `POST /content_blocks/create` */
  postContentBlocksCreate(body: T.PostContentBlocksCreateBody, options: CallOptions = {}): Promise<T.PostContentBlocksCreateReply> {
    return this.#send({ method: 'POST', path: '/content_blocks/create', body }, options)
  }

  /** Update a content block; absent fields keep their values. `POST /content_blocks/update` */
  postContentBlocksUpdate(body: T.PostContentBlocksUpdateBody, options: CallOptions = {}): Promise<T.PostContentBlocksUpdateReply> {
    return this.#send({ method: 'POST', path: '/content_blocks/update', body }, options)
  }

  /** List content blocks, oldest first. `GET /content_blocks/list` */
  getContentBlocksList(query: T.GetContentBlocksListQuery = {}, options: CallOptions = {}): Promise<T.GetContentBlocksListReply> {
    return this.#send({ method: 'GET', path: '/content_blocks/list', query }, options)
  }

  /** Get a content block. `GET /content_blocks/info` */
  getContentBlocksInfo(query: T.GetContentBlocksInfoQuery, options: CallOptions = {}): Promise<T.GetContentBlocksInfoReply> {
    return this.#send({ method: 'GET', path: '/content_blocks/info', query }, options)
  }

  /** Create an e-mail template. `POST /templates/email/create` */
  postTemplatesEmailCreate(body: T.PostTemplatesEmailCreateBody, options: CallOptions = {}): Promise<T.EmailTemplateIdReply> {
    return this.#send({ method: 'POST', path: '/templates/email/create', body }, options)
  }

  /** Update an e-mail template; absent fields keep their values. `POST /templates/email/update` */
  postTemplatesEmailUpdate(body: T.PostTemplatesEmailUpdateBody, options: CallOptions = {}): Promise<T.EmailTemplateIdReply> {
    return this.#send({ method: 'POST', path: '/templates/email/update', body }, options)
  }

  /** List e-mail templates, oldest first. `GET /templates/email/list` */
  getTemplatesEmailList(query: T.GetTemplatesEmailListQuery = {}, options: CallOptions = {}): Promise<T.GetTemplatesEmailListReply> {
    return this.#send({ method: 'GET', path: '/templates/email/list', query }, options)
  }

  /** Get an e-mail template. `GET /templates/email/info` */
  getTemplatesEmailInfo(query: T.GetTemplatesEmailInfoQuery, options: CallOptions = {}): Promise<T.GetTemplatesEmailInfoReply> {
    return this.#send({ method: 'GET', path: '/templates/email/info', query }, options)
  }

  /** Store a picture or a PDF, and get an address for it that messages can use. `POST /media_library/create` */
  postMediaLibraryCreate(body: T.PostMediaLibraryCreateBody, options: CallOptions = {}): Promise<T.PostMediaLibraryCreateReply> {
    return this.#send({ method: 'POST', path: '/media_library/create', body }, options)
  }

  /** List preference centers, oldest first. `GET /preference_center/v1/list` */
  getPreferenceCenterV1List(options: CallOptions = {}): Promise<T.GetPreferenceCenterV1ListReply> {
    return this.#send({ method: 'GET', path: '/preference_center/v1/list' }, options)
  }

  /** Create a preference center: a page on which people choose their mail. `POST /preference_center/v1` */
  postPreferenceCenterV1(body: T.PostPreferenceCenterV1Body, options: CallOptions = {}): Promise<T.PostPreferenceCenterV1Reply> {
    return this.#send({ method: 'POST', path: '/preference_center/v1', body }, options)
  }

  /** Get a preference center. `GET /preference_center/v1/{preference_center_external_id}` */
  getPreferenceCenterV1PreferenceCenterExternalId(preference_center_external_id: string, options: CallOptions = {}): Promise<T.GetPreferenceCenterV1PreferenceCenterExternalIdReply> {
    return this.#send({ method: 'GET', path: `/preference_center/v1/${encodeURIComponent(preference_center_external_id)}` }, options)
  }

  /** Update a preference center; absent fields keep their values. `PUT /preference_center/v1/{preference_center_external_id}` */
  putPreferenceCenterV1PreferenceCenterExternalId(preference_center_external_id: string, body: T.PutPreferenceCenterV1PreferenceCenterExternalIdBody, options: CallOptions = {}): Promise<T.PutPreferenceCenterV1PreferenceCenterExternalIdReply> {
    return this.#send({ method: 'PUT', path: `/preference_center/v1/${encodeURIComponent(preference_center_external_id)}`, body }, options)
  }

  /** Get the link to a preference center for one person. `GET /preference_center/v1/{preference_center_external_id}/url/{user_id}` */
  getPreferenceCenterV1PreferenceCenterExternalIdUrlUserId(preference_center_external_id: string, user_id: string, options: CallOptions = {}): Promise<T.GetPreferenceCenterV1PreferenceCenterExternalIdUrlUserIdReply> {
    return this.#send({ method: 'GET', path: `/preference_center/v1/${encodeURIComponent(preference_center_external_id)}/url/${encodeURIComponent(user_id)}` }, options)
  }

  /** List segments, 100 on a page. `GET /segments/list` */
  getSegmentsList(query: T.GetSegmentsListQuery = {}, options: CallOptions = {}): Promise<T.GetSegmentsListReply> {
    return this.#send({ method: 'GET', path: '/segments/list', query }, options)
  }

  /** Get a segment with its conditions in words. `GET /segments/details` */
  getSegmentsDetails(query: T.GetSegmentsDetailsQuery, options: CallOptions = {}): Promise<T.GetSegmentsDetailsReply> {
    return this.#send({ method: 'GET', path: '/segments/details', query }, options)
  }

  /** Get the size of a segment for each day. `GET /segments/data_series` */
  getSegmentsDataSeries(query: T.GetSegmentsDataSeriesQuery, options: CallOptions = {}): Promise<T.GetSegmentsDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/segments/data_series', query }, options)
  }

  /** Get the size of a segment for each day, with the query in the body. `POST /segments/data_series` */
  postSegmentsDataSeries(body: T.PostSegmentsDataSeriesBody, options: CallOptions = {}): Promise<T.GetSegmentsDataSeriesReply> {
    return this.#send({ method: 'POST', path: '/segments/data_series', body }, options)
  }

  /** List the catalogs of the workspace. `GET /catalogs` */
  getCatalogs(options: CallOptions = {}): Promise<T.CatalogsReply> {
    return this.#send({ method: 'GET', path: '/catalogs' }, options)
  }

  /** Create a catalog. `POST /catalogs` */
  postCatalogs(body: T.PostCatalogsBody, options: CallOptions = {}): Promise<T.CatalogsReply> {
    return this.#send({ method: 'POST', path: '/catalogs', body }, options)
  }

  /** Get a catalog of the workspace. `GET /catalogs/{catalog_name}` */
  getCatalogsCatalogName(catalog_name: string, options: CallOptions = {}): Promise<T.CatalogsReply> {
    return this.#send({ method: 'GET', path: `/catalogs/${encodeURIComponent(catalog_name)}` }, options)
  }

  /** Delete a catalog with its items and selections. `DELETE /catalogs/{catalog_name}` */
  deleteCatalogsCatalogName(catalog_name: string, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'DELETE', path: `/catalogs/${encodeURIComponent(catalog_name)}` }, options)
  }

  /** Add fields to a catalog. `POST /catalogs/{catalog_name}/fields` */
  postCatalogsCatalogNameFields(catalog_name: string, body: T.PostCatalogsCatalogNameFieldsBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: `/catalogs/${encodeURIComponent(catalog_name)}/fields`, body }, options)
  }

  /** Delete a field of a catalog and its values. `DELETE /catalogs/{catalog_name}/fields/{field_name}` */
  deleteCatalogsCatalogNameFieldsFieldName(catalog_name: string, field_name: string, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'DELETE', path: `/catalogs/${encodeURIComponent(catalog_name)}/fields/${encodeURIComponent(field_name)}` }, options)
  }

  /** Create a selection: a stored query on the items of a catalog. `POST /catalogs/{catalog_name}/selections` */
  postCatalogsCatalogNameSelections(catalog_name: string, body: T.SelectionBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: `/catalogs/${encodeURIComponent(catalog_name)}/selections`, body }, options)
  }

  /** Delete a selection. `DELETE /catalogs/{catalog_name}/selections/{selection_name}` */
  deleteCatalogsCatalogNameSelectionsSelectionName(catalog_name: string, selection_name: string, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'DELETE', path: `/catalogs/${encodeURIComponent(catalog_name)}/selections/${encodeURIComponent(selection_name)}` }, options)
  }

  /** Get an item of a catalog. `GET /catalogs/{catalog_name}/items/{item_id}` */
  getCatalogsCatalogNameItemsItemId(catalog_name: string, item_id: string, options: CallOptions = {}): Promise<T.ItemsReply> {
    return this.#send({ method: 'GET', path: `/catalogs/${encodeURIComponent(catalog_name)}/items/${encodeURIComponent(item_id)}` }, options)
  }

  /** Create an item. `POST /catalogs/{catalog_name}/items/{item_id}` */
  postCatalogsCatalogNameItemsItemId(catalog_name: string, item_id: string, body: T.PostCatalogsCatalogNameItemsItemIdBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: `/catalogs/${encodeURIComponent(catalog_name)}/items/${encodeURIComponent(item_id)}`, body }, options)
  }

  /** Update the given fields of an item; $add and $remove change arrays. `PATCH /catalogs/{catalog_name}/items/{item_id}` */
  patchCatalogsCatalogNameItemsItemId(catalog_name: string, item_id: string, body: T.PostCatalogsCatalogNameItemsItemIdBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'PATCH', path: `/catalogs/${encodeURIComponent(catalog_name)}/items/${encodeURIComponent(item_id)}`, body }, options)
  }

  /** Create an item, or replace all its fields. `PUT /catalogs/{catalog_name}/items/{item_id}` */
  putCatalogsCatalogNameItemsItemId(catalog_name: string, item_id: string, body: T.PostCatalogsCatalogNameItemsItemIdBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'PUT', path: `/catalogs/${encodeURIComponent(catalog_name)}/items/${encodeURIComponent(item_id)}`, body }, options)
  }

  /** Delete an item. `DELETE /catalogs/{catalog_name}/items/{item_id}` */
  deleteCatalogsCatalogNameItemsItemId(catalog_name: string, item_id: string, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'DELETE', path: `/catalogs/${encodeURIComponent(catalog_name)}/items/${encodeURIComponent(item_id)}` }, options)
  }

  /** List the items of a catalog by id; the header `Link` names the pages before and after. `GET /catalogs/{catalog_name}/items` */
  getCatalogsCatalogNameItems(catalog_name: string, query: T.GetCatalogsCatalogNameItemsQuery = {}, options: CallOptions = {}): Promise<T.ItemsReply> {
    return this.#send({ method: 'GET', path: `/catalogs/${encodeURIComponent(catalog_name)}/items`, query }, options)
  }

  /** Create items; existing items do not change. `POST /catalogs/{catalog_name}/items` */
  postCatalogsCatalogNameItems(catalog_name: string, body: T.PostCatalogsCatalogNameItemsBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'POST', path: `/catalogs/${encodeURIComponent(catalog_name)}/items`, body }, options)
  }

  /** Update the given fields of items; items that do not exist are skipped. `PATCH /catalogs/{catalog_name}/items` */
  patchCatalogsCatalogNameItems(catalog_name: string, body: T.PostCatalogsCatalogNameItemsBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'PATCH', path: `/catalogs/${encodeURIComponent(catalog_name)}/items`, body }, options)
  }

  /** Create items, or replace all their fields. `PUT /catalogs/{catalog_name}/items` */
  putCatalogsCatalogNameItems(catalog_name: string, body: T.PostCatalogsCatalogNameItemsBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'PUT', path: `/catalogs/${encodeURIComponent(catalog_name)}/items`, body }, options)
  }

  /** Delete items. `DELETE /catalogs/{catalog_name}/items` */
  deleteCatalogsCatalogNameItems(catalog_name: string, body: T.PostCatalogsCatalogNameItemsBody, options: CallOptions = {}): Promise<T.Done> {
    return this.#send({ method: 'DELETE', path: `/catalogs/${encodeURIComponent(catalog_name)}/items`, body }, options)
  }

  /** Report a device, the use of an app, and the person who has the device. `POST /sdk/data` */
  postSdkData(body: T.PostSdkDataBody, options: CallOptions = {}): Promise<T.PostSdkDataReply> {
    return this.#send({ method: 'POST', path: '/sdk/data', body }, options)
  }

  /** List the names of events, 250 on a page. `GET /events/list` */
  getEventsList(query: T.GetEventsListQuery = {}, options: CallOptions = {}): Promise<T.GetEventsListReply> {
    return this.#send({ method: 'GET', path: '/events/list', query }, options)
  }

  /** List events; the header `Link` names the pages before and after. `GET /events` */
  getEvents(query: T.GetEventsQuery = {}, options: CallOptions = {}): Promise<T.GetEventsReply> {
    return this.#send({ method: 'GET', path: '/events', query }, options)
  }

  /** List custom attributes; the header `Link` names the pages before and after. `GET /custom_attributes` */
  getCustomAttributes(query: T.GetCustomAttributesQuery = {}, options: CallOptions = {}): Promise<T.GetCustomAttributesReply> {
    return this.#send({ method: 'GET', path: '/custom_attributes', query }, options)
  }

  /** Do not store some custom attributes any more, or store them again. `POST /custom_attributes/blocklist` */
  postCustomAttributesBlocklist(body: T.PostCustomAttributesBlocklistBody, options: CallOptions = {}): Promise<T.PostCustomAttributesBlocklistReply> {
    return this.#send({ method: 'POST', path: '/custom_attributes/blocklist', body }, options)
  }

  /** List the ids of products, 250 on a page. `GET /purchases/product_list` */
  getPurchasesProductList(query: T.GetPurchasesProductListQuery = {}, options: CallOptions = {}): Promise<T.GetPurchasesProductListReply> {
    return this.#send({ method: 'GET', path: '/purchases/product_list', query }, options)
  }

  /** List cards of the news feed: there are none. `GET /feed/list` */
  getFeedList(query: T.GetFeedListQuery = {}, options: CallOptions = {}): Promise<T.GetFeedListReply> {
    return this.#send({ method: 'GET', path: '/feed/list', query }, options)
  }

  /** Get a card of the news feed: there are none. `GET /feed/details` */
  getFeedDetails(query: T.GetFeedDetailsQuery, options: CallOptions = {}): Promise<T.GetFeedDetailsReply> {
    return this.#send({ method: 'GET', path: '/feed/details', query }, options)
  }

  /** Get the numbers of a card of the news feed: there are none. `GET /feed/data_series` */
  getFeedDataSeries(query: T.GetFeedDataSeriesQuery, options: CallOptions = {}): Promise<T.GetFeedDetailsReply> {
    return this.#send({ method: 'GET', path: '/feed/data_series', query }, options)
  }

  /** List the keys with which an app signs: there are none. `GET /app_group/sdk_authentication/keys` */
  getAppGroupSdkAuthenticationKeys(query: T.GetAppGroupSdkAuthenticationKeysQuery, options: CallOptions = {}): Promise<T.GetAppGroupSdkAuthenticationKeysReply> {
    return this.#send({ method: 'GET', path: '/app_group/sdk_authentication/keys', query }, options)
  }

  /** Count an event by days or hours. `GET /events/data_series` */
  getEventsDataSeries(query: T.GetEventsDataSeriesQuery, options: CallOptions = {}): Promise<T.GetEventsDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/events/data_series', query }, options)
  }

  /** Count purchases by days or hours. `GET /purchases/quantity_series` */
  getPurchasesQuantitySeries(query: T.GetPurchasesQuantitySeriesQuery, options: CallOptions = {}): Promise<T.GetPurchasesQuantitySeriesReply> {
    return this.#send({ method: 'GET', path: '/purchases/quantity_series', query }, options)
  }

  /** Sum the revenue of purchases by days or hours. `GET /purchases/revenue_series` */
  getPurchasesRevenueSeries(query: T.GetPurchasesRevenueSeriesQuery, options: CallOptions = {}): Promise<T.GetPurchasesRevenueSeriesReply> {
    return this.#send({ method: 'GET', path: '/purchases/revenue_series', query }, options)
  }

  /** Count sessions of apps by days or hours. `GET /sessions/data_series` */
  getSessionsDataSeries(query: T.GetSessionsDataSeriesQuery, options: CallOptions = {}): Promise<T.GetSessionsDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/sessions/data_series', query }, options)
  }

  /** Count people who were active on a day. `GET /kpi/dau/data_series` */
  getKpiDauDataSeries(query: T.GetKpiDauDataSeriesQuery, options: CallOptions = {}): Promise<T.GetKpiDauDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/kpi/dau/data_series', query }, options)
  }

  /** Count people who were active on a day or the 29 days before. `GET /kpi/mau/data_series` */
  getKpiMauDataSeries(query: T.GetKpiMauDataSeriesQuery, options: CallOptions = {}): Promise<T.GetKpiMauDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/kpi/mau/data_series', query }, options)
  }

  /** Count people who were created on a day. `GET /kpi/new_users/data_series` */
  getKpiNewUsersDataSeries(query: T.GetKpiNewUsersDataSeriesQuery, options: CallOptions = {}): Promise<T.GetKpiNewUsersDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/kpi/new_users/data_series', query }, options)
  }

  /** Count uninstalled apps by days. `GET /kpi/uninstalls/data_series` */
  getKpiUninstallsDataSeries(query: T.GetKpiUninstallsDataSeriesQuery, options: CallOptions = {}): Promise<T.GetKpiUninstallsDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/kpi/uninstalls/data_series', query }, options)
  }

  /** Count the messages of a campaign, and what followed them, by days. `GET /campaigns/data_series` */
  getCampaignsDataSeries(query: T.GetCampaignsDataSeriesQuery, options: CallOptions = {}): Promise<T.GetCampaignsDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/campaigns/data_series', query }, options)
  }

  /** Count the messages of a campaign with a send id, and what followed them, by days. `GET /sends/data_series` */
  getSendsDataSeries(query: T.GetSendsDataSeriesQuery, options: CallOptions = {}): Promise<T.GetCampaignsDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/sends/data_series', query }, options)
  }

  /** Count the entries and messages of a canvas, and what followed them, by days. `GET /canvas/data_series` */
  getCanvasDataSeries(query: T.GetCanvasDataSeriesQuery, options: CallOptions = {}): Promise<T.GetCanvasDataSeriesReply> {
    return this.#send({ method: 'GET', path: '/canvas/data_series', query }, options)
  }

  /** Count the entries and messages of a canvas, and what followed them, on several days together. `GET /canvas/data_summary` */
  getCanvasDataSummary(query: T.GetCanvasDataSummaryQuery, options: CallOptions = {}): Promise<T.GetCanvasDataSummaryReply> {
    return this.#send({ method: 'GET', path: '/canvas/data_summary', query }, options)
  }

  /** Create an account. `POST /scim/v2/Users` */
  postScimV2Users(body: T.PostScimV2UsersBody, query: T.PostScimV2UsersQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimUser> {
    return this.#send({ method: 'POST', path: '/scim/v2/Users', query, body }, options)
  }

  /** List accounts or search them. `GET /scim/v2/Users` */
  getScimV2Users(query: T.GetScimV2UsersQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimUsers> {
    return this.#send({ method: 'GET', path: '/scim/v2/Users', query }, options)
  }

  /** Search accounts with a request body. `POST /scim/v2/Users/.search` */
  postScimV2UsersSearch(body: T.ScimSearch, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimUsers> {
    return this.#send({ method: 'POST', path: '/scim/v2/Users/.search', body }, options)
  }

  /** Search all resources with a request body. `POST /scim/v2/.search` */
  postScimV2Search(body: T.ScimSearch, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimUsers> {
    return this.#send({ method: 'POST', path: '/scim/v2/.search', body }, options)
  }

  /** Read an account. `GET /scim/v2/Users/{id}` */
  getScimV2UsersId(id: string, query: T.GetScimV2UsersIdQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimUser> {
    return this.#send({ method: 'GET', path: `/scim/v2/Users/${encodeURIComponent(id)}`, query }, options)
  }

  /** Replace an account. `PUT /scim/v2/Users/{id}` */
  putScimV2UsersId(id: string, body: T.PutScimV2UsersIdBody, query: T.PutScimV2UsersIdQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimUser> {
    return this.#send({ method: 'PUT', path: `/scim/v2/Users/${encodeURIComponent(id)}`, query, body }, options)
  }

  /** Change attributes of an account. `PATCH /scim/v2/Users/{id}` */
  patchScimV2UsersId(id: string, body: T.ScimPatch, query: T.PatchScimV2UsersIdQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimUser> {
    return this.#send({ method: 'PATCH', path: `/scim/v2/Users/${encodeURIComponent(id)}`, query, body }, options)
  }

  /** Delete an account. `DELETE /scim/v2/Users/{id}` */
  deleteScimV2UsersId(id: string, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<void> {
    return this.#send({ method: 'DELETE', path: `/scim/v2/Users/${encodeURIComponent(id)}` }, options)
  }

  /** List roles and teams as groups, or search them. `GET /scim/v2/Groups` */
  getScimV2Groups(query: T.GetScimV2GroupsQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimGroups> {
    return this.#send({ method: 'GET', path: '/scim/v2/Groups', query }, options)
  }

  /** Create a role without permissions in the default workspace. `POST /scim/v2/Groups` */
  postScimV2Groups(body: T.ScimGroupInput, query: T.PostScimV2GroupsQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimGroup> {
    return this.#send({ method: 'POST', path: '/scim/v2/Groups', query, body }, options)
  }

  /** Search roles and teams with a request body. `POST /scim/v2/Groups/.search` */
  postScimV2GroupsSearch(body: T.ScimSearch, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimGroups> {
    return this.#send({ method: 'POST', path: '/scim/v2/Groups/.search', body }, options)
  }

  /** Read a role or a team with its members. `GET /scim/v2/Groups/{id}` */
  getScimV2GroupsId(id: string, query: T.GetScimV2GroupsIdQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimGroup> {
    return this.#send({ method: 'GET', path: `/scim/v2/Groups/${encodeURIComponent(id)}`, query }, options)
  }

  /** Set the name and the members of a role or a team. `PUT /scim/v2/Groups/{id}` */
  putScimV2GroupsId(id: string, body: T.ScimGroupInput, query: T.PutScimV2GroupsIdQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimGroup> {
    return this.#send({ method: 'PUT', path: `/scim/v2/Groups/${encodeURIComponent(id)}`, query, body }, options)
  }

  /** Change the name and the members of a role or a team. `PATCH /scim/v2/Groups/{id}` */
  patchScimV2GroupsId(id: string, body: T.ScimPatch, query: T.PatchScimV2GroupsIdQuery = {}, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimGroup> {
    return this.#send({ method: 'PATCH', path: `/scim/v2/Groups/${encodeURIComponent(id)}`, query, body }, options)
  }

  /** Take a role or a team from all accounts, and delete a role without permissions. `DELETE /scim/v2/Groups/{id}` */
  deleteScimV2GroupsId(id: string, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<void> {
    return this.#send({ method: 'DELETE', path: `/scim/v2/Groups/${encodeURIComponent(id)}` }, options)
  }

  /** Read the SCIM features of this service. `GET /scim/v2/ServiceProviderConfig` */
  getScimV2ServiceProviderConfig(options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.GetScimV2ServiceProviderConfigReply> {
    return this.#send({ method: 'GET', path: '/scim/v2/ServiceProviderConfig' }, options)
  }

  /** List the resource types. `GET /scim/v2/ResourceTypes` */
  getScimV2ResourceTypes(options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimList> {
    return this.#send({ method: 'GET', path: '/scim/v2/ResourceTypes' }, options)
  }

  /** Read a resource type. `GET /scim/v2/ResourceTypes/{id}` */
  getScimV2ResourceTypesId(id: string, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.GetScimV2ResourceTypesIdReply> {
    return this.#send({ method: 'GET', path: `/scim/v2/ResourceTypes/${encodeURIComponent(id)}` }, options)
  }

  /** List the schemas, with the known departments and permissions. `GET /scim/v2/Schemas` */
  getScimV2Schemas(options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.ScimList> {
    return this.#send({ method: 'GET', path: '/scim/v2/Schemas' }, options)
  }

  /** Read a schema. `GET /scim/v2/Schemas/{id}` */
  getScimV2SchemasId(id: string, options: CallOptions & { readonly headers: { readonly 'X-Request-Origin': string } }): Promise<T.GetScimV2SchemasIdReply> {
    return this.#send({ method: 'GET', path: `/scim/v2/Schemas/${encodeURIComponent(id)}` }, options)
  }

  /** Read the business time of the service, and what becomes due next. `GET /admin/clock` */
  getAdminClock(options: CallOptions = {}): Promise<T.GetAdminClockReply> {
    return this.#send({ method: 'GET', path: '/admin/clock' }, options)
  }

  /** Move the virtual clock and do the work that becomes due. `POST /admin/clock` */
  postAdminClock(body: T.PostAdminClockBody, options: CallOptions = {}): Promise<T.GetAdminClockReply> {
    return this.#send({ method: 'POST', path: '/admin/clock', body }, options)
  }

  /** Apply a workspace file. `POST /admin/apply` */
  postAdminApply(body: T.PostAdminApplyBody, query: T.PostAdminApplyQuery = {}, options: CallOptions & { readonly headers?: { readonly 'If-Match'?: string } } = {}): Promise<T.PostAdminApplyReply> {
    return this.#send({ method: 'POST', path: '/admin/apply', query, body }, options)
  }

  /** List all workspaces. `GET /admin/workspace` */
  getAdminWorkspace(options: CallOptions = {}): Promise<T.GetAdminWorkspaceReply> {
    return this.#send({ method: 'GET', path: '/admin/workspace' }, options)
  }

  /** Read the settings in effect, and those that were set. `GET /admin/settings` */
  getAdminSettings(query: T.GetAdminSettingsQuery = {}, options: CallOptions = {}): Promise<T.GetAdminSettingsReply> {
    return this.#send({ method: 'GET', path: '/admin/settings', query }, options)
  }

  /** Read all people of a workspace with all their data, page by page. `GET /admin/people` */
  getAdminPeople(query: T.GetAdminPeopleQuery = {}, options: CallOptions = {}): Promise<T.GetAdminPeopleReply> {
    return this.#send({ method: 'GET', path: '/admin/people', query }, options)
  }

  /** Import people into a workspace. Existing people do not change. `POST /admin/people` */
  postAdminPeople(body: T.PostAdminPeopleBody, query: T.PostAdminPeopleQuery = {}, options: CallOptions = {}): Promise<T.PostAdminPeopleReply> {
    return this.#send({ method: 'POST', path: '/admin/people', query, body }, options)
  }

  /** Make the workspace demo: a thousand invented people of a shop, and what happened in 90 days. `POST /admin/demo` */
  postAdminDemo(options: CallOptions = {}): Promise<T.PostAdminDemoReply> {
    return this.#send({ method: 'POST', path: '/admin/demo' }, options)
  }

  /** List the api_keys of a workspace. `GET /admin/keys` */
  getAdminKeys(query: T.GetAdminKeysQuery = {}, options: CallOptions = {}): Promise<T.GetAdminKeysReply> {
    return this.#send({ method: 'GET', path: '/admin/keys', query }, options)
  }

  /** Create one of the api_keys. `POST /admin/keys` */
  postAdminKeys(body: T.ApiKey, query: T.PostAdminKeysQuery = {}, options: CallOptions = {}): Promise<T.KeyReply> {
    return this.#send({ method: 'POST', path: '/admin/keys', query, body }, options)
  }

  /** Delete a key: it is refused everywhere within a second. `DELETE /admin/keys/{id}` */
  deleteAdminKeysId(id: string, query: T.DeleteAdminKeysIdQuery = {}, options: CallOptions = {}): Promise<void> {
    return this.#send({ method: 'DELETE', path: `/admin/keys/${encodeURIComponent(id)}`, query }, options)
  }

  /** List the messages in the inbox, newest first. The inbox keeps the messages of channels for which no server is configured. `GET /admin/inbox` */
  getAdminInbox(query: T.GetAdminInboxQuery = {}, options: CallOptions = {}): Promise<T.GetAdminInboxReply> {
    return this.#send({ method: 'GET', path: '/admin/inbox', query }, options)
  }

  /** Read one mail with its parts. `GET /admin/inbox/{id}` */
  getAdminInboxId(id: string, query: T.GetAdminInboxIdQuery = {}, options: CallOptions = {}): Promise<T.GetAdminInboxIdReply> {
    return this.#send({ method: 'GET', path: `/admin/inbox/${encodeURIComponent(id)}`, query }, options)
  }

  /** Explain why a person got a message or did not. `GET /admin/why` */
  getAdminWhy(query: T.GetAdminWhyQuery = {}, options: CallOptions = {}): Promise<T.GetAdminWhyReply> {
    return this.#send({ method: 'GET', path: '/admin/why', query }, options)
  }

  /** Whether the process answers requests. `GET /health` */
  getHealth(options: CallOptions = {}): Promise<T.ServiceState> {
    return this.#send({ method: 'GET', path: '/health' }, options)
  }

  /** Whether the database and the workers are working. `GET /ready` */
  getReady(options: CallOptions = {}): Promise<T.ServiceState> {
    return this.#send({ method: 'GET', path: '/ready' }, options)
  }

  /** Metrics as Prometheus text. `GET /metrics` */
  getMetrics(options: CallOptions = {}): Promise<string> {
    return this.#send({ method: 'GET', path: '/metrics' }, options)
  }
}

/** The operations with pages. Each yields the entries of all pages, and asks for a page when its first entry is wanted. */
export class Lists {
  readonly #ask: Ask

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** List canvases, 100 to a page. Every entry of `GET /canvas/list` */
  getCanvasList(query: Omit<T.GetCanvasListQuery, 'page'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetCanvasListReply['canvases']>[number]> {
    return byPage(this.#ask, { method: 'GET', path: '/canvas/list', query }, 'canvases', options)
  }

  /** List campaigns, 100 to a page. Every entry of `GET /campaigns/list` */
  getCampaignsList(query: Omit<T.GetCampaignsListQuery, 'page'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetCampaignsListReply['campaigns']>[number]> {
    return byPage(this.#ask, { method: 'GET', path: '/campaigns/list', query }, 'campaigns', options)
  }

  /** List the subscription groups of people. Every entry of `GET /subscription/user/status` */
  getSubscriptionUserStatus(query: Omit<T.GetSubscriptionUserStatusQuery, 'offset'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetSubscriptionUserStatusReply['users']>[number]> {
    return byOffset(this.#ask, { method: 'GET', path: '/subscription/user/status', query }, 'users', options)
  }

  /** List e-mail addresses that have unsubscribed. Every entry of `GET /email/unsubscribes` */
  getEmailUnsubscribes(query: Omit<T.GetEmailUnsubscribesQuery, 'offset'>, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetEmailUnsubscribesReply['emails']>[number]> {
    return byOffset(this.#ask, { method: 'GET', path: '/email/unsubscribes', query }, 'emails', options)
  }

  /** List e-mail addresses with hard bounces. Every entry of `GET /email/hard_bounces` */
  getEmailHardBounces(query: Omit<T.GetEmailHardBouncesQuery, 'offset'>, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetEmailHardBouncesReply['emails']>[number]> {
    return byOffset(this.#ask, { method: 'GET', path: '/email/hard_bounces', query }, 'emails', options)
  }

  /** List phone numbers that a provider of text messages has refused for good. Every entry of `GET /sms/invalid_phone_numbers` */
  getSmsInvalidPhoneNumbers(query: Omit<T.GetSmsInvalidPhoneNumbersQuery, 'offset'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetSmsInvalidPhoneNumbersReply['sms']>[number]> {
    return byOffset(this.#ask, { method: 'GET', path: '/sms/invalid_phone_numbers', query }, 'sms', options)
  }

  /** List content blocks, oldest first. Every entry of `GET /content_blocks/list` */
  getContentBlocksList(query: Omit<T.GetContentBlocksListQuery, 'offset'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetContentBlocksListReply['content_blocks']>[number]> {
    return byOffset(this.#ask, { method: 'GET', path: '/content_blocks/list', query }, 'content_blocks', options)
  }

  /** List e-mail templates, oldest first. Every entry of `GET /templates/email/list` */
  getTemplatesEmailList(query: Omit<T.GetTemplatesEmailListQuery, 'offset'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetTemplatesEmailListReply['templates']>[number]> {
    return byOffset(this.#ask, { method: 'GET', path: '/templates/email/list', query }, 'templates', options)
  }

  /** List segments, 100 on a page. Every entry of `GET /segments/list` */
  getSegmentsList(query: Omit<T.GetSegmentsListQuery, 'page'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetSegmentsListReply['segments']>[number]> {
    return byPage(this.#ask, { method: 'GET', path: '/segments/list', query }, 'segments', options)
  }

  /** List the items of a catalog by id; the header `Link` names the pages before and after. Every entry of `GET /catalogs/{catalog_name}/items` */
  getCatalogsCatalogNameItems(catalog_name: string, options: CallOptions = {}): AsyncGenerator<NonNullable<T.ItemsReply['items']>[number]> {
    return byLink(this.#ask, { method: 'GET', path: `/catalogs/${encodeURIComponent(catalog_name)}/items` }, 'items', options)
  }

  /** List the names of events, 250 on a page. Every entry of `GET /events/list` */
  getEventsList(query: Omit<T.GetEventsListQuery, 'page'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetEventsListReply['events']>[number]> {
    return byPage(this.#ask, { method: 'GET', path: '/events/list', query }, 'events', options)
  }

  /** List events; the header `Link` names the pages before and after. Every entry of `GET /events` */
  getEvents(options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetEventsReply['events']>[number]> {
    return byLink(this.#ask, { method: 'GET', path: '/events' }, 'events', options)
  }

  /** List custom attributes; the header `Link` names the pages before and after. Every entry of `GET /custom_attributes` */
  getCustomAttributes(options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetCustomAttributesReply['attributes']>[number]> {
    return byLink(this.#ask, { method: 'GET', path: '/custom_attributes' }, 'attributes', options)
  }

  /** List the ids of products, 250 on a page. Every entry of `GET /purchases/product_list` */
  getPurchasesProductList(query: Omit<T.GetPurchasesProductListQuery, 'page'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetPurchasesProductListReply['products']>[number]> {
    return byPage(this.#ask, { method: 'GET', path: '/purchases/product_list', query }, 'products', options)
  }

  /** List cards of the news feed: there are none. Every entry of `GET /feed/list` */
  getFeedList(query: Omit<T.GetFeedListQuery, 'page'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetFeedListReply['cards']>[number]> {
    return byPage(this.#ask, { method: 'GET', path: '/feed/list', query }, 'cards', options)
  }

  /** List the messages in the inbox, newest first. The inbox keeps the messages of channels for which no server is configured. Every entry of `GET /admin/inbox` */
  getAdminInbox(query: Omit<T.GetAdminInboxQuery, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<NonNullable<T.GetAdminInboxReply['messages']>[number]> {
    return byCursor(this.#ask, { method: 'GET', path: '/admin/inbox', query }, 'messages', options)
  }
}
