import Type, { type Static, type TObject, type TProperties } from 'typebox'
import { exportFields } from '../../people/export/schema.ts'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'

/** The most custom attributes of one request. */
export const attributesMax = 500
export const endpointCharactersMax = 2_048
export const segmentIdCharactersMax = 255
/** The most people in one file of an export. */
export const filePeopleMax = 5_000
/** The most exports of a workspace that are waiting or have not expired. */
export const exportsMax = 1_000

export const formats = ['zip', 'gzip'] as const
export type Format = (typeof formats)[number]

export const segmentRequired = "'segment_id' is required"
export const badEndpoint = "'callback_endpoint' must be an http or https URL without credentials"
export const endpointTooLong = `'callback_endpoint' must be at most ${endpointCharactersMax} characters`
export const badFormat = `'output_format' must be ${formats.join(' or ')}`
export const badAttributes = "'custom_attributes_to_export' must be an array of strings"
export const tooManyAttributes = `'custom_attributes_to_export' may name at most ${attributesMax} custom attributes`
export const alreadyExported = 'An export of this segment is already in progress'
export const groupAlreadyExported = 'An export of the global control group is already in progress'
export const noControlGroup =
  'There is no global control group: set the setting global_control_group of the workspace first'
export const tooManyExports = `At most ${exportsMax} exports are stored at a time; the oldest is deleted when it expires`

/** A request that was read. Its fields have neutral names: always `service_id`, independent of EASEL_SERVICE_NAME. */
export type ExportRequest = {
  /** Null for the people of the global control group. */
  readonly segment_id: string | null
  readonly fields: readonly string[]
  /** Exported besides the fields, unless these include all custom attributes. */
  readonly custom_attributes: readonly string[]
  readonly output_format: Format
  readonly callback_endpoint: string | null
}

const callback_endpoint = Type.Optional(
  Type.String({
    format: 'uri',
    maxLength: endpointCharactersMax,
    description: 'Gets a POST of {"success": true, "url": "..."} when the export can be downloaded',
  }),
)
const output_format = Type.Optional(Type.Enum([...formats], { default: 'zip' }))

function fieldsOf(serviceName: string) {
  return Type.Array(Type.Enum([...exportFields(serviceName)]))
}

/** The body of `POST /users/export/segment`. */
export function segmentBody(serviceName: string): TObject {
  return Type.Object({
    segment_id: Type.String({ description: 'The id of a segment' }),
    callback_endpoint,
    fields_to_export: fieldsOf(serviceName),
    custom_attributes_to_export: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: attributesMax,
        description: 'Exports only these. `custom_attributes` in the fields exports all',
      }),
    ),
    output_format,
  })
}

/** The body of `POST /users/export/global_control_group`. */
export function controlGroupBody(serviceName: string): TObject {
  return Type.Object({ callback_endpoint, fields_to_export: fieldsOf(serviceName), output_format })
}

const Url = Type.String({ format: 'uri', description: 'Downloads the export when it is written, until it expires' })

export const ExportReply = Type.Object({
  object_prefix: Type.String({ description: 'Identifies this export' }),
  url: Url,
  message: Type.String(),
})
export type ExportReply = Static<typeof ExportReply>

export const exportStates = ['waiting', 'running', 'done', 'failed'] as const
export type ExportState = (typeof exportStates)[number]

const Moment = Type.String({ format: 'date-time' })
const text = Type.Union([Type.String(), Type.Null()])

const ExportEntry = Type.Object({
  object_prefix: Type.String(),
  segment_id: Type.Union([Type.String(), Type.Null()], { description: 'Null for the global control group' }),
  state: Type.Enum([...exportStates]),
  fields_to_export: Type.Array(Type.String()),
  custom_attributes_to_export: Type.Array(Type.String()),
  output_format: Type.Enum([...formats]),
  people: Type.Integer({ description: 'People who are written so far.' }),
  people_in_all: Type.Union([Type.Integer(), Type.Null()], {
    description: 'People to write, about, and up to a minute old; null while the export waits and when it has failed.',
  }),
  files: Type.Integer(),
  bytes: Type.Integer({ description: 'Bytes of the packed object' }),
  failure: Type.Union([Type.String(), Type.Null()], { description: 'Why there is no file' }),
  url: Type.Union([Url, Type.Null()]),
  path: Type.Union([Type.String(), Type.Null()], {
    description: 'The same without the host. It begins at the root of the service.',
  }),
  callback: Type.Union([
    Type.Object({
      endpoint: Type.String(),
      state: Type.Union([Type.Enum(['waiting', 'done', 'failed']), Type.Null()]),
      attempts: Type.Integer(),
      failure: text,
    }),
    Type.Null(),
  ]),
  created_at: Moment,
  finished_at: Type.Union([Moment, Type.Null()]),
  expires_at: Type.Union([Moment, Type.Null()], { description: 'In machine time' }),
})
export type ExportEntry = Static<typeof ExportEntry>

export const ExportsReply = Type.Object({
  exports: Type.Array(ExportEntry, { description: 'Newest first' }),
  fields: Type.Array(Type.String(), { description: 'The fields that an export can have' }),
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last page' })),
})
export type ExportsReply = Static<typeof ExportsReply>

/** The body of `POST /admin/segments/{id}/export`. */
export function adminExportBody(serviceName: string): TObject {
  const { fields_to_export, custom_attributes_to_export, output_format } = segmentBody(serviceName).properties
  return Type.Object({ fields_to_export, custom_attributes_to_export, output_format } as TProperties)
}

export const exportPageMax = 100
export const exportPageDefault = 50

export const ExportsQuery = Type.Object({
  workspace,
  segment_id: Type.Optional(Type.String({ description: 'Only exports of this segment.' })),
  ...paging(exportPageDefault, exportPageMax),
})
