import Type, { type Static, type TObject } from 'typebox'
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
export const tooManyExports = `At most ${exportsMax} exports are stored at a time; the oldest is deleted when it expires`

/** A request that was read. Its fields have neutral names: always `service_id`, independent of EASEL_SERVICE_NAME. */
export type ExportRequest = {
  readonly segment_id: string
  readonly fields: readonly string[]
  /** Exported besides the fields, unless these include all custom attributes. */
  readonly custom_attributes: readonly string[]
  readonly output_format: Format
  readonly callback_endpoint: string | null
}

/** The body of `POST /users/export/segment`. */
export function segmentBody(serviceName: string): TObject {
  return Type.Object({
    segment_id: Type.String({ description: 'The id of a segment' }),
    callback_endpoint: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: endpointCharactersMax,
        description: 'Gets a POST of {"success": true, "url": "..."} when the export can be downloaded',
      }),
    ),
    fields_to_export: Type.Array(Type.Enum([...exportFields(serviceName)])),
    custom_attributes_to_export: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: attributesMax,
        description: 'Exports only these. `custom_attributes` in the fields exports all',
      }),
    ),
    output_format: Type.Optional(Type.Enum([...formats], { default: 'zip' })),
  })
}

const Url = Type.String({ format: 'uri', description: 'Downloads the export when it is written, until it expires' })

export const SegmentReply = Type.Object({
  object_prefix: Type.String({ description: 'Identifies this export' }),
  url: Url,
  message: Type.String(),
})
export type SegmentReply = Static<typeof SegmentReply>

export const exportStates = ['waiting', 'running', 'done', 'failed'] as const
export type ExportState = (typeof exportStates)[number]

const Moment = Type.String({ format: 'date-time' })
const text = Type.Union([Type.String(), Type.Null()])

const ExportEntry = Type.Object({
  object_prefix: Type.String(),
  segment_id: Type.String(),
  state: Type.Enum([...exportStates]),
  fields_to_export: Type.Array(Type.String()),
  custom_attributes_to_export: Type.Array(Type.String()),
  output_format: Type.Enum([...formats]),
  people: Type.Integer(),
  files: Type.Integer(),
  bytes: Type.Integer({ description: 'Bytes of the packed object' }),
  failure: Type.Union([Type.String(), Type.Null()], { description: 'Why there is no file' }),
  url: Type.Union([Url, Type.Null()]),
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
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last page' })),
})
export type ExportsReply = Static<typeof ExportsReply>

export const exportPageMax = 100
export const exportPageDefault = 50

export const ExportsQuery = Type.Object({
  workspace,
  ...paging(exportPageDefault, exportPageMax),
})
