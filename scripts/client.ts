import type { FoundOperation } from './print-type.ts'
import { nameOf, type OpenApi, operationsIn, type Parameter, printParameters, printPath, typeOf } from './print-type.ts'

/** The operations that the dashboard uses, by `operationId` in `/openapi.json`. */
const operations: readonly string[] = [
  'getAdminSession',
  'getAdminClock',
  'getAdminAbout',
  'getAdminOverview',
  'postAdminDemo',
  'postAdminClock',
  'getAdminPeopleSearch',
  'getAdminPeopleId',
  'getAdminRequests',
  'getAdminRequestsId',
  'getAdminWork',
  'postAdminWorkRequestIdPositionRetry',
  'postAdminWorkRequestIdPositionDiscard',
  'getAdminPeopleIdTimeline',
  'getAdminPeopleIdEntries',
  'postAdminPeopleIdTrack',
  'postAdminPeopleMerge',
  'deleteAdminPeopleId',
  'postAdminSuppressions',
  'deleteAdminSuppressions',
  'getAdminWhy',
  'getAdminSegmentsIdWhy',
  'getAdminCanvases',
  'getAdminCampaigns',
  'getAdminSegments',
  'getAdminSegmentsId',
  'postAdminSegments',
  'patchAdminSegmentsId',
  'deleteAdminSegmentsId',
  'postAdminAudienceCheck',
  'postAdminAudienceCount',
  'postAdminAudienceSample',
  'postAdminAudienceWhy',
  'getAdminNames',
  'getAdminApps',
  'getAdminCohorts',
  'getAdminHeadsSegments',
  'getAdminHeadsSubscriptionGroups',
  'getAdminHeadsCanvases',
  'getAdminHeadsCampaigns',
  'getAdminHeadsEmailTemplates',
  'getAdminHeadsContentBlocks',
  'getAdminHeadsCatalogs',
  'getAdminSegmentsIdCount',
  'getAdminSegmentsIdSample',
  'getAdminSegmentsIdSizes',
  'postAdminSegmentsIdExport',
  'getAdminExports',
  'getAdminSubscriptionGroupsIdCounts',
  'postAdminSubscriptionGroups',
  'patchAdminSubscriptionGroupsId',
  'deleteAdminSubscriptionGroupsId',
  'getAdminSubscriptionGroupsId',
  'getAdminSubscriptionGroupsIdConfirmationCounts',
  'getAdminSubscriptionGroupsIdConfirmations',
  'getAdminSignUpForms',
  'postAdminSignUpForms',
  'patchAdminSignUpFormsId',
  'deleteAdminSignUpFormsId',
  'getAdminSignUpFormsIdEmbed',
  'postAdminPeopleIdConfirmationsGroupResend',
  'deleteAdminPeopleIdConfirmationsGroup',
  'getAdminCanvasesId',
  'getAdminCampaignsId',
  'getAdminCanvasesIdStanding',
  'getAdminCampaignsIdStanding',
  'getAdminCanvasesIdEntries',
  'getAdminCampaignsIdEntries',
  'getAdminCanvasesIdEntriesEntryId',
  'getAdminCampaignsIdEntriesEntryId',
  'getAdminCanvasesIdVersions',
  'getAdminCampaignsIdVersions',
  'getAdminCanvasesIdVersionsVersion',
  'getAdminCampaignsIdVersionsVersion',
  'getAdminCanvasesIdConversions',
  'getAdminCampaignsIdConversions',
  'getAdminCanvasesIdDraft',
  'getAdminCampaignsIdDraft',
  'putAdminCanvasesIdDraft',
  'putAdminCampaignsIdDraft',
  'deleteAdminCanvasesIdDraft',
  'deleteAdminCampaignsIdDraft',
  'postAdminCanvasesIdSend',
  'postAdminCampaignsIdSend',
  'postAdminCanvasesCheck',
  'postAdminCampaignsCheck',
  'postAdminCanvases',
  'postAdminCampaigns',
  'patchAdminCanvasesId',
  'patchAdminCampaignsId',
  'deleteAdminCanvasesId',
  'deleteAdminCampaignsId',
  'postAdminCanvasesIdDryRun',
  'postAdminCampaignsIdDryRun',
  'postAdminCanvasesIdImpact',
  'postAdminCampaignsIdImpact',
  'postAdminCanvasesIdPause',
  'postAdminCanvasesIdResume',
  'postAdminCanvasesIdStop',
  'postAdminCampaignsIdPause',
  'postAdminCampaignsIdResume',
  'postAdminCampaignsIdStop',
  'getAdminEmailTemplatesId',
  'getAdminContentBlocksId',
  'postAdminEmailTemplates',
  'patchAdminEmailTemplatesId',
  'deleteAdminEmailTemplatesId',
  'postAdminContentBlocks',
  'patchAdminContentBlocksId',
  'deleteAdminContentBlocksId',
  'postAdminPreview',
  'postAdminPreviewSend',
  'getAdminCatalogsId',
  'getAdminMedia',
  'postAdminMedia',
  'postAdminCatalogs',
  'patchAdminCatalogsId',
  'deleteAdminCatalogsId',
  'getAdminCatalogsIdItems',
  'patchAdminCatalogsIdItems',
  'postAdminCatalogsIdImport',
  'deleteAdminCatalogsIdFieldsFieldName',
  'getAdminCatalogsIdSelections',
  'postAdminCatalogsIdSelections',
  'deleteAdminCatalogsIdSelectionsSelectionName',
  'getAdminDispatches',
  'getAdminDispatchesDispatchId',
  'postAdminDispatchesDispatchIdPause',
  'postAdminDispatchesDispatchIdResume',
  'postAdminDispatchesDispatchIdCancel',
  'postAdminDispatchesDispatchIdSendMissed',
  'getAdminKeys',
  'postAdminKeys',
  'deleteAdminKeysId',
  'getAdminKeyPermissions',
  'postAdminWebhooks',
  'getAdminWebhooks',
  'patchAdminWebhooksId',
  'deleteAdminWebhooksId',
  'getAdminWebhookDeliveries',
  'getAdminWebhooksIdAttempts',
  'postAdminWebhooksIdResume',
  'postAdminWebhooksIdReplay',
  'postAdminWebhooksIdRotate',
  'postAdminWebhooksIdTest',
  'getAdminAccounts',
  'postAdminAccounts',
  'getAdminAccountsId',
  'patchAdminAccountsId',
  'deleteAdminAccountsId',
  'postAdminAccountsIdLink',
  'getAdminHolders',
  'getAdminPermissions',
  'getAdminPermissionsTogether',
  'getAdminPermissionsGivers',
  'getAdminSessions',
  'deleteAdminSessions',
  'deleteAdminSessionsId',
  'deleteAdminIdentities',
  'getAdminScimTokens',
  'postAdminScimTokens',
  'postAdminScimTokensIdRotate',
  'deleteAdminScimTokensId',
  'getAdminScimRequests',
  'getAdminTeams',
  'postAdminTeams',
  'patchAdminTeamsId',
  'deleteAdminTeamsId',
  'getAdminRoles',
  'postAdminRoles',
  'getAdminRolesId',
  'patchAdminRolesId',
  'deleteAdminRolesId',
  'getAdminPermissionSets',
  'postAdminPermissionSets',
  'getAdminPermissionSetsId',
  'patchAdminPermissionSetsId',
  'deleteAdminPermissionSetsId',
  'getAdminAudit',
  'getAdminAuditId',
  'getAdminSettings',
  'patchAdminSettings',
  'patchAdminWorkspace',
  'getAdminDkimKeys',
  'postAdminDkimKeys',
  'deleteAdminDkimKeysId',
  'getAdminDkimKeysIdRecords',
  'postAdminDkimKeysIdCheck',
  'getAdminCredentials',
  'postAdminCredentials',
  'getAdminCredentialsId',
  'patchAdminCredentialsId',
  'deleteAdminCredentialsId',
  'postAdminApps',
  'patchAdminAppsId',
  'deleteAdminAppsId',
  'getAdminFile',
  'postAdminApply',
  'getAdminInbox',
  'deleteAdminInbox',
  'getAdminInboxId',
  'getAdminSuppressions',
  'getAdminMessages',
  'getAdminMessagesId',
  'postAdminMessagesMessageIdResend',
  'postAdminMessagesMessageIdLeave',
]

/** The components of `/openapi.json` that many operations have: each is printed once, as a type of its own. */
export const sharedTypes: readonly string[] = [
  ...[
    'Condition',
    'StoredSegment',
    'FlowTrigger',
    'EventTrigger',
    'PurchaseTrigger',
    'FlowEmail',
    'FlowEntry',
    'FlowExit',
  ],
  ...['FlowConversion', 'FlowRecurrence', 'FlowStep', 'FlowVariant', 'CampaignMessage', 'MessageStep', 'DelayStep'],
  ...['DecisionStep', 'PathsStep', 'ActionPathsStep', 'ExperimentStep', 'UpdateUserStep', 'WebhookStep'],
]

const columnsMax = 130
const style = { described: false }

/** Prints the client of the dashboard: a type of each reply, a function for each operation, and the limits of its parameters. */
export function printClient(openapi: OpenApi): string {
  const found = operationsIn(openapi)
  const printed = operations.map((id) => {
    const one = found.find(({ described }) => described.operationId === id)
    if (!one) throw new Error(`/openapi.json has no operation ${id} (scripts/client.ts)`)
    return printOperation(one)
  })
  const head = [
    '// Written by npm run generate from /openapi.json. The list of operations is in scripts/client.ts.',
    "import { type Operation, withQuery } from './operation.ts'",
  ]
  const { schemas } = openapi.components
  const missing = sharedTypes.filter((name) => !(name in schemas))
  if (missing.length > 0) throw new Error(`/openapi.json has no component ${missing.join(', ')} (scripts/client.ts)`)
  const shared = sharedTypes.map((name) => `export type ${name} = ${typeOf(schemas[name]!, '', style)}`)
  return `${[head.join('\n'), ...shared, ...printed].join('\n\n')}\n`
}

function printOperation({ path, method, described }: FoundOperation): string {
  const { operationId, summary, parameters = [], requestBody, responses } = described
  const [reply, queryName, bodyName] = ['Reply', 'Query', 'Body'].map((suffix) => nameOf(operationId, suffix))
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const named = parameters.filter((parameter) => parameter.in === 'path')
  const body = requestBody?.content['application/json']?.schema
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const isOptional = query.every(({ required }) => !required)
  const takes = [
    ...named.map(({ name }) => `${name}: string`),
    ...(body ? [`body: ${bodyName}`] : []),
    ...(query.length > 0 ? [`query: ${queryName}${isOptional ? ' = {}' : ''}`] : []),
  ]
  const url = query.length > 0 ? `withQuery(${printPath(path)}, query)` : printPath(path)
  const limits = limitsOf(query)
  return [
    `export type ${reply} = ${typeOf(success?.content?.['application/json']?.schema ?? {}, '', style)}`,
    '',
    ...(body ? [`export type ${bodyName} = ${typeOf(body, '', style)}`, ''] : []),
    ...(query.length === 0 ? [] : [`export type ${queryName} = ${printParameters(query, style)}`, '']),
    ...(summary === undefined ? [] : [`/** ${summary} */`]),
    `export function ${operationId}(${takes.join(', ')}): Operation<${reply}> {`,
    `  return { method: '${method}', path: ${url}${body ? ', body' : ''} }`,
    '}',
    ...(limits === undefined ? [] : ['', `export const ${operationId}Limits = ${limits} as const`]),
  ].join('\n')
}

/** Returns the limits of parameters as an object literal; undefined when none has one. */
function limitsOf(query: readonly Parameter[]): string | undefined {
  const limited = query.flatMap(({ name, schema }) => {
    const { minimum, maximum, maxLength } = schema
    const limits = Object.entries({ minimum, maximum, maxLength }).filter(([, limit]) => limit !== undefined)
    return limits.length === 0 ? [] : [`${name}: { ${limits.map(([key, limit]) => `${key}: ${limit}`).join(', ')} }`]
  })
  if (limited.length === 0) return undefined
  const flat = `{ ${limited.join(', ')} }`
  return flat.length < columnsMax / 2 ? flat : `{\n${limited.map((one) => `  ${one},`).join('\n')}\n}`
}

/** Prints the schema of the settings, from which their forms are made. */
export function printSettings(openapi: OpenApi): string {
  const patch = operationsIn(openapi).find(({ described }) => described.operationId === 'patchAdminSettings')
  const schema = patch?.described.requestBody?.content['application/json']?.schema
  const head =
    "// Written by npm run generate from /openapi.json.\nimport type { FormSchema } from './form-schema.ts'\n"
  return `${head}\nexport const settingsSchema: FormSchema = ${JSON.stringify(schema, null, 2)}\n`
}
