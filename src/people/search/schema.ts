import Type, { type TObject } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { suppressionReasons } from '../addresses/suppression-store.ts'
import { PersonConfirmation } from '../confirmations/schema.ts'
import { exportedUser } from '../export/schema.ts'

/** People in a page of the list. */
export const searchDefault = 50
export const searchMax = 100
/** Characters of what is searched for. No identifier is longer. */
export const queryCharactersMax = 1_000
/** Entries of each list of one person. */
export const personListMax = 200

export const foundByKinds = ['id', 'external_id', 'email', 'phone', 'alias', 'device'] as const

const Time = Type.String({ format: 'date-time' })
const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const Summary = Type.Object(
  {
    id: Type.String({ description: 'Names the person in `/admin/people/{id}`' }),
    external_id: TextOrNull,
    first_name: TextOrNull,
    last_name: TextOrNull,
    email: TextOrNull,
    email_subscribe: Type.Enum(['opted_in', 'subscribed', 'unsubscribed']),
    phone: TextOrNull,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'person_summary' },
)

export const SearchQuery = Type.Object({
  workspace,
  q: Type.Optional(
    Type.String({
      maxLength: queryCharactersMax,
      description:
        'An external id, e-mail address, phone number, alias as `label:name`, device id or `id`. Absent: everybody, newest first',
    }),
  ),
  ...paging(searchDefault, searchMax),
})

export const SearchReply = Type.Object({
  people: Type.Array(
    Type.Interface([Summary], {
      found_by: Type.Array(Type.Enum([...foundByKinds]), { description: 'Which identifiers of the person are `q`' }),
    }),
  ),
  cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'The `cursor` of the next page; null on the last page, and with `q`',
  }),
})

/** The answer of `GET /admin/people/{id}`. */
export function personReply(serviceName: string): TObject {
  return Type.Object({
    person: Summary,
    sentence: Type.String({ description: 'What can be sent to the person' }),
    merged_from: Type.Union([Type.String(), Type.Null()], {
      description: 'The id of the request, when that person was merged into this one',
    }),
    email_suppressions: Type.Array(Type.Enum([...suppressionReasons]), {
      description: 'Why nothing is sent to the e-mail address',
    }),
    subscription_groups: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        channel: Type.String(),
        status: Type.Enum(['Subscribed', 'Unsubscribed']),
      }),
      { description: 'Groups in which the person or an address of the person has a state' },
    ),
    confirmations: Type.Array(PersonConfirmation, {
      description: 'Groups that the person was asked to confirm, or has confirmed',
    }),
    cohorts: Type.Array(Type.Object({ partner: Type.String(), cohort_id: Type.String(), name: Type.String() }), {
      description: 'Cohorts of partners that the person is in',
    }),
    record: exportedUser(serviceName),
    list_totals: Type.Record(Type.String(), Type.Integer(), {
      description: `Lists of \`record\` that have more than ${personListMax} entries, with the number of all`,
    }),
  })
}

export const PersonQuery = Type.Object({ workspace })
