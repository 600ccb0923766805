import Type, { type Static } from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { Description, Id, Name, Tags } from '../../workspace/settings/schema.ts'

/** The most segments of a workspace. */
export const segmentsMax = 500
/** The most levels of nested segments. A segment without nested segments has 1 level. */
export const levelsMax = 10

/** Bytes of an audience as JSON. */
export const audienceBytesMax = 102_400

/** An entry of `segments` in the workspace file. `parse-condition.ts` parses the audience and gives better errors than a shape. */
export const SegmentShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Name,
    description: Type.Optional(Description),
    audience: Type.Object(
      {},
      { description: 'a tree of conditions such as {AND: [...]}, {OR: [...]}, {NOT: ...} or one condition' },
    ),
    tags: Type.Optional(Tags),
    analytics_tracking_enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false, description: 'an object with name and audience' },
)

export const unknownSegment = 'segment_id must be a string of the Segment api identifier'

/** Segments on a page of `/segments/list`. */
export const listedSegmentsMax = 100

const Texts = Type.Array(Type.String())

export const ListQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({ minimum: 0, default: 0, description: `Pages have ${listedSegmentsMax} segments.` }),
  ),
  sort_direction: Type.Optional(
    Type.Enum(['asc', 'desc'], { default: 'asc', description: 'By creation: asc is oldest first.' }),
  ),
})

export const ListReply = Type.Object({
  segments: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), analytics_tracking_enabled: Type.Boolean(), tags: Texts }),
  ),
  message: Type.String(),
})

const SegmentId = Type.String({ description: 'The id of a segment.' })

export const DetailsQuery = Type.Object({ segment_id: SegmentId })

export const DetailsReply = Type.Object({
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  name: Type.String(),
  description: Type.String(),
  text_description: Type.String({ description: 'The conditions in words.' }),
  tags: Texts,
  teams: Type.Array(Type.String()),
  message: Type.String(),
})

/** Days of a series. */
export const seriesDaysMax = 100
export const sizeDaysDefault = 30

export const SizesQuery = Type.Object({
  workspace,
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: seriesDaysMax,
      default: sizeDaysDefault,
      description: 'Days, including today.',
    }),
  ),
})

/** The query or body of a series. */
export const SeriesQuery = Type.Object({
  segment_id: SegmentId,
  length: Type.Integer({ minimum: 1, maximum: seriesDaysMax, description: 'Days, including the last one.' }),
  ending_at: Type.Optional(
    Type.String({ description: 'An instant of the last day, ISO 8601; the time of the request when absent.' }),
  ),
  unit: Type.Optional(Type.Enum(['day'])),
})

export const SeriesReply = Type.Object({
  data: Type.Array(
    Type.Object({
      time: Type.String({ format: 'date', description: 'A day in the time zone of the workspace.' }),
      size: Type.Integer({ description: 'People in the segment, as of the last count of that day.' }),
    }),
    { description: 'Days on which the segment was counted, oldest first.' },
  ),
  message: Type.String(),
})
export type SeriesReply = Static<typeof SeriesReply>
