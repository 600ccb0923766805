import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { Success, Time } from '../texts/schema.ts'

/** Files of a workspace, and bytes of all of them. */
export const mediaMax = 1_000
export const allMediaBytesMax = 256 * 1_048_576
/** Bytes of a file. */
export const mediaBytesMax = 5 * 1_048_576
export const mediaNameCharactersMax = 255
/** Files on a page of the list. */
export const mediaPageMax = 100
export const mediaPageDefault = 50

/** The types of files, which their first bytes show. The extension is part of the address. */
export const mediaTypes = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  pdf: 'application/pdf',
} as const
export type MediaExtension = keyof typeof mediaTypes
export const mediaExtensions = Object.keys(mediaTypes) as readonly MediaExtension[]

// The first two are verbatim from the interface.
export const mediaTexts = {
  nothing: 'Either asset_url or asset_file must be provided.',
  both: 'Both asset_url and asset_file cannot be provided. Please provide only one.',
  badUrl: "'asset_url' must be a string",
  badFile: "'asset_file' must be a file in base64",
  badName: `'name' must be one line of 1 to ${mediaNameCharactersMax} characters`,
  badType: `The file must be one of ${mediaExtensions.join(', ')}, by its first bytes`,
  tooLarge: `The file must be at most ${mediaBytesMax} bytes`,
  tooMany: `There are at most ${mediaMax} files in a workspace`,
  tooMuch: `The files of a workspace have at most ${allMediaBytesMax} bytes together`,
} as const

// Shapes for `/openapi.json`. They only describe. The functions of the routes check requests.

export const MediaBody = Type.Object(
  {
    asset_url: Type.Optional(Type.String({ description: `A URL of the file, of at most ${mediaBytesMax} bytes.` })),
    asset_file: Type.Optional(Type.String({ description: 'The file in base64.' })),
    name: Type.Optional(
      Type.String({ maxLength: mediaNameCharactersMax, description: 'The name in the URL when absent.' }),
    ),
  },
  { description: 'With asset_url or asset_file.' },
)

export const MediaReply = Type.Object({
  new_assets: Type.Array(
    Type.Object({
      name: Type.String(),
      size: Type.Integer({ description: 'Bytes' }),
      url: Type.String({ description: 'The same for every copy of the file' }),
      ext: Type.Enum([...mediaExtensions]),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  ...Success,
})

export const MediaQuery = Type.Object({ workspace, ...paging(mediaPageDefault, mediaPageMax) })

const MediaEntryShape = Type.Object(
  {
    id: Type.String({ description: 'The SHA-256 of the file, in hexadecimal digits' }),
    name: Type.String(),
    ext: Type.Enum([...mediaExtensions]),
    url: Type.String({ description: 'The address for messages' }),
    path: Type.String({ description: 'The same without the host. It begins at the root of the service.' }),
    bytes: Type.Integer(),
    created_at: Time,
  },
  { title: 'media_entry' },
)
export type ShownMedia = Static<typeof MediaEntryShape>

export const StoredMediaReply = Type.Object({ file: MediaEntryShape })

export const MediaListReply = Type.Object({
  media: Type.Array(MediaEntryShape, { description: 'Newest first' }),
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last page' })),
})
export type MediaListReply = Static<typeof MediaListReply>
