import Type from 'typebox'
import { Success, Time } from '../texts/schema.ts'

/** The most preference centers of a workspace. */
export const centersMax = 50
export const centerNameCharactersMax = 99
export const titleCharactersMax = 255
/** Bytes of each of the two pages. */
export const pageBytesMax = 102_400
export const linkTagsMax = 10
/** Characters of the viewport, and of each member of a link tag. */
export const optionCharactersMax = 500

export const centerStates = ['active', 'draft'] as const

/** The kinds of links in the head of a page: icons only, so that a page loads no style or script. */
export const linkKinds = ['icon', 'shortcut icon', 'apple-touch-icon'] as const

export const centerTexts = {
  nameBlank: 'Preference Center name cannot be blank',
  nameTooLong: `Preference Center name must be at most ${centerNameCharactersMax} characters`,
  nameBad: 'Preference Center name can only contain letters, digits, dashes and underscores',
  nameTaken: 'Preference Center with this name already exists',
  nameFixed: 'Preference Center name cannot be updated for active Preference Centers',
  badState: 'Preference Center state must be either active or draft',
  tooMany: `There are at most ${centersMax} Preference Centers in a workspace`,
  idBlank: 'Preference Center ID cannot be blank',
  idUnknown: 'Preference Center ID is invalid for this workspace',
  userUnknown: "'user_id' is the external_id of nobody in this workspace",
} as const

// Shapes for `/openapi.json`. They only describe. The functions of the routes check requests.

const LinkTag = Type.Object({
  rel: Type.Enum([...linkKinds]),
  href: Type.String({ maxLength: optionCharactersMax, description: 'An https URL.' }),
  type: Type.Optional(Type.String({ maxLength: optionCharactersMax })),
  sizes: Type.Optional(Type.String({ maxLength: optionCharactersMax })),
})

const Options = Type.Object({
  'meta-viewport-content': Type.Optional(Type.String({ maxLength: optionCharactersMax })),
  'link-tags': Type.Optional(Type.Array(LinkTag, { maxItems: linkTagsMax })),
})

const State = Type.Enum([...centerStates])
const html = (description: string) =>
  Type.String({ description: `${description} HTML with Liquid, at most ${pageBytesMax} bytes.` })

const fields = {
  name: Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: centerNameCharactersMax }),
  preference_center_title: Type.String({ maxLength: titleCharactersMax }),
  preference_center_page_html: html('The page with the form.'),
  confirmation_page_html: html('The page after the form was saved.'),
}

export const CreateCenterBody = Type.Object({
  ...fields,
  state: Type.Optional(Type.Enum([...centerStates], { default: 'active' })),
  options: Type.Optional(Options),
})
export const UpdateCenterBody = Type.Partial(CreateCenterBody)

export const CenterPath = Type.Object({
  preference_center_external_id: Type.String({ description: 'The preference_center_api_id.' }),
})

export const CenterUserPath = Type.Object({
  ...CenterPath.properties,
  user_id: Type.String({ description: 'The external_id of a person.' }),
})

const written = { preference_center_api_id: Type.String(), liquid_tag: Type.String(), created_at: Time }
export const CreatedCenterReply = Type.Object({ ...written, ...Success })
export const UpdatedCenterReply = Type.Object({ ...written, updated_at: Time, ...Success })

const listed = { name: Type.String(), preference_center_api_id: Type.String(), created_at: Time, updated_at: Time }
export const ListCentersReply = Type.Object({ preference_centers: Type.Array(Type.Object(listed)), ...Success })

export const CenterLinkReply = Type.Object({ preference_center_url: Type.String({ format: 'uri' }), ...Success })

export const CenterReply = Type.Object({
  ...listed,
  preference_center_title: Type.String(),
  preference_center_page_html: Type.String(),
  confirmation_page_html: Type.String(),
  redirect_page_html: Type.Null({ description: 'There is no such page.' }),
  preference_center_options: Options,
  state: State,
  ...Success,
})
