import Type, { type Static } from 'typebox'
import { Language, pageTextCharactersMax } from '../../workspace/settings/double-opt-in.ts'
import { Id, Name } from '../../workspace/settings/schema.ts'

/** The most sign-up forms of a workspace. */
export const formsMax = 100
/** The most sites on which one form may be shown in a frame. */
export const embedOriginsMax = 20
const urlCharactersMax = 2_000
/** Seconds that a person needs at least to fill in a form. A program is faster. */
export const minSecondsDefault = 2
export const minSecondsMax = 60
/** Sign-ups that one form takes in an hour. */
export const hourlyDefault = 500
export const hourlyMaxMax = 100_000

export const formStates = ['active', 'paused'] as const

const exact = { additionalProperties: false }
const pageText = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: pageTextCharactersMax,
      description: `${description}, 1 to ${pageTextCharactersMax} characters`,
    }),
  )

/** The texts of a form that differ from the built-in ones. */
export const FormTexts = Type.Object(
  {
    title: pageText('the heading'),
    intro: pageText('what stands above the field'),
    label: pageText('the name of the field'),
    button: pageText('the button'),
    consent: pageText('a box that must be ticked; none when absent'),
    done_title: pageText('the heading after the form was sent'),
    done_text: pageText('what stands below that heading'),
    paused_title: pageText('the heading while the form is paused'),
    paused_text: pageText('what stands below that heading'),
  },
  { ...exact, description: 'an object with the texts that differ from the built-in ones' },
)
export type FormTexts = Static<typeof FormTexts>

const definition = {
  language: Type.Optional(Language),
  texts: Type.Optional(FormTexts),
  redirect_url: Type.Optional(
    Type.String({ maxLength: urlCharactersMax, description: 'the https URL of a page that is shown after the form' }),
  ),
  embed_origins: Type.Optional(
    Type.Array(
      Type.String({ maxLength: urlCharactersMax, description: 'an origin, such as https://www.example.com' }),
      {
        maxItems: embedOriginsMax,
        uniqueItems: true,
        description: `a list of at most ${embedOriginsMax} different origins`,
      },
    ),
  ),
  min_seconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: minSecondsMax, description: `a number of seconds from 0 to ${minSecondsMax}` }),
  ),
  hourly_max: Type.Optional(
    Type.Integer({ minimum: 1, maximum: hourlyMaxMax, description: `a number from 1 to ${hourlyMaxMax}` }),
  ),
  direct_posts: Type.Optional(Type.Boolean({ description: 'true or false' })),
}

/** What a form has besides its name, its group and its state. */
export const FormDefinition = Type.Object(definition)
export type FormDefinition = Static<typeof FormDefinition>

/** An entry of `sign_up_forms`. */
export const FormShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Name,
    subscription_group_id: Type.String({ minLength: 1, maxLength: 64, description: 'the id of a subscription group' }),
    state: Type.Optional(Type.Enum([...formStates], { description: 'active or paused' })),
    ...definition,
  },
  { ...exact, description: 'an object with name and subscription_group_id' },
)
