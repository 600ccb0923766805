import type { Db } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import { networkOf } from '../../base/http/caller-ip.ts'
import type { PageHead, PageReply, PageRequest } from '../../base/http/page.ts'
import { findForm } from '../../content/forms/form-store.ts'
import { hourlyDefault, minSecondsDefault } from '../../content/forms/schema.ts'
import { isLocalEmail, toE164, toEmail } from '../../people/identity/identifier.ts'
import { located } from '../../people/identity/person.ts'
import type { NewAddress } from '../../people/intake/create-unsubscribed.ts'
import { isCleanText } from '../../people/values/values.ts'
import { activeDoubleOptIn } from '../../workspace/settings/double-opt-in.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import { isPossibleNumber } from '../channels/sms/phone-number.ts'
import { findAddressOwners } from '../expansion/resolve-recipients-store.ts'
import {
  donePage,
  type FormNote,
  type FormView,
  formNotes,
  formPage,
  languageOf,
  pausedPage,
  timeField,
  trapField,
} from './form-page.ts'
import { formatShownAt, openedForMs, shownMsMax } from './form-time.ts'
import { countSignUps, type LimitServices } from './limit-sign-ups.ts'
import { questionChannels } from './question-channel.ts'
import { type RequestServices, requestConfirmation } from './request-confirmation.ts'

export type SignUpServices = RequestServices &
  LimitServices & {
    readonly db: Db
    /** Creates a person for an address that nobody has. The person gets no marketing mail. Changes nothing of anybody else. */
    createPerson(workspace_id: number, address: NewAddress): Promise<void>
  }

/** A form that was found, with its group. Without `group` it takes no sign-ups. */
type Found = { readonly workspace_id: number; readonly view: FormView; readonly group: GroupRow | undefined }

/** Shows the page of a form. Throws 404. */
export async function showForm(request: PageHead, services: SignUpServices): Promise<PageReply> {
  const found = await find(request, services)
  return found.group ? formPage(found.view, shownNow(found, services)) : pausedPage(found.view)
}

/**
 * Takes a form. The answer does not show whether somebody has the address, or is in the group: it is the same for every address. Throws
 * 404, and 429 after too many sign-ups.
 */
export async function takeForm(request: PageRequest, services: SignUpServices): Promise<PageReply> {
  const found = await find(request, services)
  const { view, group, workspace_id } = found
  if (!group) return pausedPage(view)
  const { form } = request
  // A program that fills in every field gets the usual answer, so that it learns nothing.
  if (form[trapField]?.some((text) => text !== '')) return donePage(view)
  const { kind } = questionChannels[view.channel]
  const typed = form[kind]?.[0] ?? ''
  const again = (note: FormNote | undefined) => formPage(view, shownNow(found, services), typed, note)
  const address = isCleanText(typed) ? readers[kind](typed) : undefined
  const notes = formNotes(view)
  if (address === undefined) return again({ kind: 'wrong', text: notes.wrong, status: 400 })
  const { texts, direct_posts = false, hourly_max = hourlyDefault } = view.form.definition
  const open = openFor(found, form[timeField]?.[0], services)
  if (open !== 'long enough' && !(open === 'unknown' && direct_posts)) {
    return again({ kind: 'notice', text: open === 'unknown' ? notes.check : notes.again, status: 200 })
  }
  if (texts?.consent !== undefined && form.consent?.[0] !== 'yes') {
    return again({ kind: 'wrong', text: notes.consent, status: 400 })
  }
  const counted = { workspace_id, form_id: view.form.id, ip: request.ip, address, formMax: hourly_max }
  if (await countSignUps(services.db, counted, services)) await signUp(found, group, address, request.ip, services)
  return donePage(view)
}

/** Reads what a person has typed; undefined when nothing can be sent there. */
const readers: Readonly<Record<NewAddress['kind'], (typed: string) => string | undefined>> = {
  email(typed) {
    const given = toEmail(typed)
    // A mail goes to no domain of this network only.
    return given === undefined || isLocalEmail(given) ? undefined : given
  },
  phone(typed) {
    const given = toE164(typed)
    return given !== undefined && isPossibleNumber(given) ? given : undefined
  },
}

async function signUp(
  { workspace_id, view }: Found,
  group: GroupRow,
  address: string,
  ip: string,
  services: SignUpServices,
): Promise<void> {
  const named = { kind: questionChannels[view.channel].kind, value: address }
  await services.createPerson(workspace_id, named)
  const shared = { ...located(workspace_id, named), prioritization: [] }
  const person = (await findAddressOwners(services.db, [shared])).get(0)
  // The person was deleted meanwhile: there is nobody to ask.
  if (!person) return
  const { form } = view
  const asked = { source: 'form', form_id: form.id, language: languageOf(form), from: networkOf(ip) } as const
  await requestConfirmation({ workspace_id, person, address, group, ...asked }, services)
}

/** Returns whether a person had the time to fill in the form. `unknown`: the request is not from the page. */
function openFor(
  { workspace_id, view: { form } }: Found,
  given: string | undefined,
  { clock, secret }: SignUpServices,
): 'unknown' | 'too short' | 'long enough' {
  const { min_seconds = minSecondsDefault } = form.definition
  const ms = openedForMs({ workspace_id, form_id: form.id }, given ?? '', clock.elapsed(), secret)
  if (ms === undefined || ms > shownMsMax) return 'unknown'
  return ms < min_seconds * 1000 ? 'too short' : 'long enough'
}

function shownNow({ workspace_id, view }: Found, { clock, secret }: SignUpServices): string {
  return formatShownAt({ workspace_id, form_id: view.form.id }, clock.elapsed(), secret)
}

async function find({ params }: PageHead, { db, workspaces }: SignUpServices): Promise<Found> {
  const workspace = workspaces.find(params.workspace ?? '')
  const form = workspace && (await findForm(db, workspace.workspace_id, params.form ?? ''))
  if (!form) throw notFound('There is no such form')
  const { workspace_id, name, groups } = workspace
  const group = groups.get(form.subscription_group_id)
  const isOpen = form.state === 'active' && group && !group.archived && activeDoubleOptIn(group)
  return {
    workspace_id,
    view: { form, from: name, group: group?.name ?? '', channel: group?.channel ?? 'email' },
    group: isOpen ? group : undefined,
  }
}
