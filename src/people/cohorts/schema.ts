import Type, { type Static } from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'

/** Characters of a partner, which is a part of paths. */
export const partnerCharactersMax = 64
/** Characters of the id and of the name of a cohort. */
export const cohortCharactersMax = 255
/** The most cohorts of a workspace, of all partners together. */
export const cohortsMax = 1_000
/** The most cohorts of a person. A merge unites the cohorts of two people, even if they are more. */
export const cohortsPerPersonMax = 100
/** The most people in all changes of a request together, and the most changes. */
export const cohortPeopleMax = 1_000

export const badPartner = `'partner' must be 1 to ${partnerCharactersMax} lower-case letters, digits, dashes and underscores`
export const badCohortId = `'cohort_id' must be a text of 1 to ${cohortCharactersMax} characters`
export const badCohortName = `'name' must be a text of 1 to ${cohortCharactersMax} characters`
export const badCreatedAt = "'created_at' must be a time in ISO 8601"
export const badChanges = "'cohort_changes' must be an array of objects"
export const tooManyChanges = `'cohort_changes' may have at most ${cohortPeopleMax} objects`
export const tooManyPeople = `'cohort_changes' may name at most ${cohortPeopleMax} people`
export const tooManyCohorts = `There are at most ${cohortsMax} cohorts in a workspace`
export const unknownCohort = "'cohort_id' is the id of no cohort of this partner: create the cohort first"

// Reasons of notices. Each is the rest of a sentence that begins with the member.
export const notOfCohort = 'is not a member of this request: it was not stored'
export const notOfChange = 'is not a member of cohort_changes: it was not stored'
export const isNobody = 'matches nobody: it was left out'
export const inTooManyCohorts = `has a person who is in ${cohortsPerPersonMax} cohorts already: the person was not added`

// Shapes for `/openapi.json`. They only describe requests, which the functions behind the routes check.

const secrets = {
  client_secret: Type.Optional(
    Type.String({ description: 'An API key with the permission `partners.cohorts`; not needed with `Authorization`' }),
  ),
  partner_api_key: Type.Optional(Type.String({ description: 'Is not used' })),
}

const CohortId = Type.String({
  minLength: 1,
  maxLength: cohortCharactersMax,
  description: 'The id that the partner gives',
})
const Name = Type.String({ minLength: 1, maxLength: cohortCharactersMax })
const Time = Type.String({ format: 'date-time' })
const Id = Type.Union([Type.String(), Type.Integer()])

export const PartnerPath = Type.Object({
  partner: Type.String({
    pattern: `^[a-z0-9_-]{1,${partnerCharactersMax}}$`,
    description: 'The program that puts the cohorts together. Each partner has ids of its own.',
  }),
})

export const CohortPath = Type.Object({ ...PartnerPath.properties, cohort_id: CohortId })

export const CohortBody = Type.Object({
  ...secrets,
  cohort_id: CohortId,
  name: Name,
  created_at: Type.Optional(Type.String({ format: 'date-time', description: 'Now when absent; never changes' })),
})

const Change = Type.Object({
  user_ids: Type.Optional(Type.Array(Id, { description: 'External ids' })),
  device_ids: Type.Optional(Type.Array(Type.String())),
  aliases: Type.Optional(Type.Array(Type.Object({ alias_name: Type.String(), alias_label: Type.String() }))),
  should_remove: Type.Optional(Type.Boolean({ default: false, description: 'Whether the people leave the cohort' })),
})

export const MembersBody = Type.Object({
  ...secrets,
  cohort_id: Type.Optional(CohortId),
  cohort_changes: Type.Array(Change, {
    maxItems: cohortPeopleMax,
    description: `Names at most ${cohortPeopleMax} people. An empty list only tests the key`,
  }),
})

export const ChangedReply = Type.Object({ ...noticeMembers, message: Type.Literal('success') })

const Listed = Type.Object({
  partner: Type.String(),
  cohort_id: Type.String(),
  name: Type.String(),
  members: Type.Integer({ description: 'How many people are in the cohort' }),
  created_at: Time,
  updated_at: Type.String({ format: 'date-time', description: 'When the name last changed' }),
})
export type ListedCohort = Static<typeof Listed>

export const CohortsReply = Type.Object({ cohorts: Type.Array(Listed) })
