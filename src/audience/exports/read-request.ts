import { invalid } from '../../base/errors.ts'
import { isEndpoint } from '../../base/fetch/endpoint.ts'
import { isAbsent, readFields } from '../../people/export/read-request.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { bodyNotObject, identifierWords } from '../../people/values/refusals.ts'
import { isCleanText, isLong, isObject } from '../../people/values/values.ts'
import { unknownSegment } from '../segments/schema.ts'
import {
  attributesMax,
  badAttributes,
  badEndpoint,
  badFormat,
  type ExportRequest,
  endpointCharactersMax,
  endpointTooLong,
  type Format,
  formats,
  segmentIdCharactersMax,
  segmentRequired,
  tooManyAttributes,
} from './schema.ts'

/** Reads the body of `/users/export/segment`; null and empty lists count as absent. Does not check that the segment exists. */
export function readSegmentExport(body: unknown, serviceName: string, exportAllFields: boolean): ExportRequest {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const segment_id = readSegmentId(body.segment_id)
  const file = readFile(body, serviceName, exportAllFields)
  return { segment_id, ...file, custom_attributes: readAttributes(body.custom_attributes_to_export) }
}

/** Reads the body of `/users/export/global_control_group`, as that of a segment. Does not check that there is a group. */
export function readControlGroupExport(body: unknown, serviceName: string, exportAllFields: boolean): ExportRequest {
  if (!isObject(body)) throw invalid(bodyNotObject)
  return { segment_id: null, ...readFile(body, serviceName, exportAllFields), custom_attributes: [] }
}

function readFile(
  body: Readonly<Record<string, unknown>>,
  serviceName: string,
  exportAllFields: boolean,
): Omit<ExportRequest, 'segment_id' | 'custom_attributes'> {
  return {
    callback_endpoint: readEndpoint(body.callback_endpoint),
    fields: [...readFields(body.fields_to_export, identifierWords(serviceName), exportAllFields)],
    output_format: readFormat(body.output_format),
  }
}

function readSegmentId(given: unknown): string {
  if (!isGiven(given)) throw invalid(segmentRequired)
  if (typeof given !== 'string' || given.length > segmentIdCharactersMax || !isCleanText(given)) {
    throw invalid(unknownSegment)
  }
  return given
}

function readEndpoint(given: unknown): string | null {
  if (!isGiven(given)) return null
  if (typeof given !== 'string') throw invalid(badEndpoint)
  if (given.length > endpointCharactersMax) throw invalid(endpointTooLong)
  if (!isEndpoint(given)) throw invalid(badEndpoint)
  return new URL(given).href
}

function readAttributes(given: unknown): string[] {
  if (isAbsent(given)) return []
  if (!Array.isArray(given)) throw invalid(badAttributes)
  if (given.length > attributesMax) throw invalid(tooManyAttributes)
  // No attribute has a name that is empty, too long or contains NUL, so such a name exports nothing.
  const isName = (name: string) => name !== '' && !isLong(name) && isCleanText(name)
  if (!given.every((name) => typeof name === 'string')) throw invalid(badAttributes)
  return [...new Set(given.filter(isName))]
}

function readFormat(given: unknown): Format {
  if (!isGiven(given)) return 'zip'
  const format = formats.find((each) => each === given)
  if (!format) throw invalid(badFormat)
  return format
}
