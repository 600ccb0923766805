import { invalid } from '../../base/errors.ts'
import { notValid } from '../../people/values/refusals.ts'
import { characterCount, isCleanText, isObject } from '../../people/values/values.ts'
import { isAbsent, isBlank } from '../texts/fields.ts'
import { refuseMalformed } from '../texts/malformed.ts'
import type { Center, CenterOptions, LinkTag } from './center-store.ts'
import {
  centerNameCharactersMax,
  centerStates,
  linkKinds,
  linkTagsMax,
  optionCharactersMax,
  pageBytesMax,
  centerTexts as texts,
  titleCharactersMax,
} from './schema.ts'

type Body = Readonly<Record<string, unknown>>

/** The fields of a preference center in a body; undefined for an absent one. */
export type CenterFields = { readonly [name in keyof Omit<Center, 'id'>]: Center[name] | undefined }

/** Reads the fields. `isNew`: the name, the title and both pages are required. */
export function readCenterFields(body: Body, isNew: boolean): CenterFields {
  const required = (field: string) => isNew || !isAbsent(body[field])
  const page = (field: string) => (required(field) ? readPage(body[field], field) : undefined)
  return {
    name: required('name') ? readName(body.name) : undefined,
    title: required('preference_center_title') ? readTitle(body.preference_center_title) : undefined,
    page_html: page('preference_center_page_html'),
    confirmation_html: page('confirmation_page_html'),
    state: isAbsent(body.state) ? undefined : readState(body.state),
    options: isAbsent(body.options) ? undefined : readOptions(body.options),
  }
}

/** Returns the preference center with the fields of a body. `before` is the stored one. */
export function changedCenter(before: Center | undefined, id: string, fields: CenterFields): Center {
  return {
    id,
    name: fields.name ?? before?.name ?? '',
    title: fields.title ?? before?.title ?? '',
    page_html: fields.page_html ?? before?.page_html ?? '',
    confirmation_html: fields.confirmation_html ?? before?.confirmation_html ?? '',
    options: fields.options ?? before?.options ?? {},
    state: fields.state ?? before?.state ?? 'active',
  }
}

function readName(given: unknown): string {
  if (isBlank(given)) throw invalid(texts.nameBlank)
  if (typeof given !== 'string' || !/^[A-Za-z0-9_-]+$/.test(given)) throw invalid(texts.nameBad)
  if (given.length > centerNameCharactersMax) throw invalid(texts.nameTooLong)
  return given
}

function readTitle(given: unknown): string {
  const field = 'preference_center_title'
  if (isBlank(given)) throw invalid(`'${field}' cannot be blank`)
  return readLine(given, field, titleCharactersMax)
}

function readPage(given: unknown, field: string): string {
  if (isBlank(given)) throw invalid(`'${field}' cannot be blank`)
  if (typeof given !== 'string') throw invalid(`'${field}' must be a string`)
  if (Buffer.byteLength(given) > pageBytesMax) throw invalid(`'${field}' must be at most ${pageBytesMax} bytes`)
  if (!isCleanText(given)) throw invalid(notValid(field))
  refuseMalformed(given, `'${field}' contains malformed liquid`, field)
  return given
}

function readState(given: unknown): Center['state'] {
  const state = centerStates.find((each) => each === given)
  if (state === undefined) throw invalid(texts.badState)
  return state
}

const optionNames = ['meta-viewport-content', 'link-tags']

function readOptions(given: unknown): CenterOptions {
  if (!isObject(given)) throw invalid("'options' must be an object")
  refuseUnknown(given, optionNames, 'options')
  const { 'meta-viewport-content': viewport, 'link-tags': tags } = given
  return {
    ...(!isAbsent(viewport) && {
      'meta-viewport-content': readLine(viewport, 'options.meta-viewport-content', optionCharactersMax),
    }),
    ...(!isAbsent(tags) && { 'link-tags': readLinkTags(tags) }),
  }
}

function readLinkTags(given: unknown): LinkTag[] {
  const field = 'options.link-tags'
  if (!Array.isArray(given)) throw invalid(`'${field}' must be an array`)
  if (given.length > linkTagsMax) throw invalid(`'${field}' must have at most ${linkTagsMax} items`)
  return given.map((tag, i) => readLinkTag(tag, `${field}[${i}]`))
}

const linkTagNames = ['rel', 'href', 'type', 'sizes']

function readLinkTag(given: unknown, field: string): LinkTag {
  if (!isObject(given)) throw invalid(`'${field}' must be an object`)
  refuseUnknown(given, linkTagNames, field)
  const { rel, type, sizes } = given
  const line = (name: string) => readLine(given[name], `${field}.${name}`, optionCharactersMax)
  if (!linkKinds.some((kind) => kind === rel)) throw invalid(`'${field}.rel' must be one of ${linkKinds.join(', ')}`)
  const href = line('href')
  if (URL.parse(href)?.protocol !== 'https:') throw invalid(`'${field}.href' must be an https URL`)
  return {
    rel: String(rel),
    href,
    ...(!isAbsent(type) && { type: line('type') }),
    ...(!isAbsent(sizes) && { sizes: line('sizes') }),
  }
}

function readLine(given: unknown, field: string, charactersMax: number): string {
  if (typeof given !== 'string') throw invalid(`'${field}' must be a string`)
  if (characterCount(given) > charactersMax) throw invalid(`'${field}' must be at most ${charactersMax} characters`)
  if (!isCleanText(given)) throw invalid(notValid(field))
  return given
}

function refuseUnknown(given: Body, known: readonly string[], field: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalid(`'${field}' can only have ${known.join(', ')}`)
}
