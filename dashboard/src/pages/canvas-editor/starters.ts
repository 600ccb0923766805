import type { Definition, GivenStep } from '../../canvas/edit/ways.ts'

/** A canvas to begin from. It passes the check in every workspace that has an app. */
export type Starter = {
  readonly id: string
  readonly name: string
  /** What it does, and what it needs. */
  readonly description: string
  readonly definition: (mail: Sender) => Definition
}

/** What the mails of a starter have in common: the app to which they belong, and who they are from. */
export type Sender = { readonly app_id: string; readonly from: string }

const hello = 'Hello {{${first_name} | default: "there"}}'

function message(
  sender: Sender,
  step: { id: string; name: string; subject: string; text: string; next?: string },
): GivenStep {
  const { id, name, subject, text, next } = step
  const body = `<h1>${hello}</h1>\n<p>${text}</p>\n`
  return { id, name, type: 'message', message: { ...sender, subject, body }, ...(next !== undefined && { next }) }
}

const lately = (days: number) => ({ AND: [{ last_used_app: { comparison: 'less_than_x_days_ago', value: days } }] })

export const starters: readonly Starter[] = [
  {
    id: 'welcome',
    name: 'Welcome series',
    description: 'Everybody who does "signed_up" gets a welcome, and later tips or an offer to help, by what they did.',
    definition: (sender) => ({
      name: 'Welcome series',
      entry: { event: 'signed_up', again: 'never' },
      conversions: [{ name: 'First order', on: { purchase: 'any' }, within: 'P30D' }],
      control_percent: 10,
      first: 'welcome',
      steps: [
        message(sender, {
          ...{ id: 'welcome', name: 'Welcome', subject: 'Welcome, {{${first_name} | default: "there"}}' },
          ...{ text: 'It is good to have you here.', next: 'begun' },
        }),
        {
          ...{ id: 'begun', name: 'Have they begun?', type: 'action_paths', within: 'P3D' },
          paths: [{ name: 'Has begun', event: 'project_created', next: 'tips' }],
          otherwise: 'help',
        },
        message(sender, {
          ...{ id: 'tips', name: 'Three tips', subject: 'Three tips for your first project' },
          text: 'Here are three things that others found useful.',
        }),
        message(sender, {
          ...{ id: 'help', name: 'Offer help', subject: 'Shall we help you to begin?' },
          text: 'Answer this mail, and we show you how to begin.',
        }),
      ],
    }),
  },
  {
    id: 'abandoned-cart',
    name: 'Abandoned cart',
    description:
      'Who does "cart_updated" and does not order gets a reminder after an hour, and another one a day later.',
    definition: (sender) => ({
      name: 'Abandoned cart',
      entry: { event: 'cart_updated', again: { after: 'P3D' } },
      exit: { events: [{ purchase: 'any' }] },
      conversions: [{ name: 'Order', on: { purchase: 'any' }, within: 'P3D' }],
      first: 'hour',
      steps: [
        { id: 'hour', name: 'One hour', type: 'delay', for: 'PT1H', next: 'reminder' },
        message(sender, {
          ...{ id: 'reminder', name: 'Reminder', subject: 'Your cart waits for you' },
          ...{ text: 'What you chose is still there.', next: 'day' },
        }),
        { id: 'day', name: 'One day', type: 'delay', for: 'P1D', next: 'trial' },
        {
          ...{ id: 'trial', name: 'With an offer?', type: 'experiment' },
          paths: [
            { name: 'Offer', percent: 50, next: 'offer' },
            { name: 'No offer', percent: 50, next: 'last' },
          ],
        },
        message(sender, {
          ...{ id: 'offer', name: 'Offer', subject: 'A tenth off your cart, until tomorrow' },
          text: 'Order until tomorrow, and it is a tenth cheaper.',
        }),
        message(sender, {
          ...{ id: 'last', name: 'Last reminder', subject: 'Do you still want it?' },
          text: 'We keep your cart until tomorrow.',
        }),
      ],
    }),
  },
  {
    id: 'win-back',
    name: 'Win-back',
    description:
      'Each morning, people who have not used the app for 60 days get a mail, and a second one when they stay away.',
    definition: (sender) => ({
      name: 'Win-back',
      audience: { AND: [{ last_used_app: { comparison: 'greater_than_x_days_ago', value: 60 } }] },
      entry: { schedule: { at: '10:00', zone: 'local' }, again: { after: 'P180D' } },
      conversions: [{ name: 'Came back', on: 'session_start', within: 'P30D' }],
      first: 'missed',
      steps: [
        message(sender, {
          ...{ id: 'missed', name: 'We miss you', subject: 'It has been a while' },
          ...{ text: 'Here is what is new since you were last here.', next: 'week' },
        }),
        { id: 'week', name: 'One week', type: 'delay', for: 'P7D', next: 'back' },
        { id: 'back', name: 'Came back?', type: 'decision', audience: lately(7), no: 'offer' },
        message(sender, {
          ...{ id: 'offer', name: 'Offer', subject: 'Come back, with a month for free' },
          text: 'The next month is on us.',
        }),
      ],
    }),
  },
  {
    id: 'double-opt-in',
    name: 'Double opt-in',
    description: 'Who does "newsletter_requested" is asked to confirm. With "newsletter_confirmed" they are opted in.',
    definition: (sender) => ({
      name: 'Double opt-in',
      class: 'transactional',
      recipient_subscription_state: 'all',
      entry: { event: 'newsletter_requested', again: { after: 'P1D' } },
      first: 'confirm',
      steps: [
        message(sender, {
          ...{ id: 'confirm', name: 'Please confirm', subject: 'Please confirm that you want our newsletter' },
          text: '<a href="https://example.com/confirm?user={{${user_id}}}">Yes, I want it.</a> Without this click you get nothing.',
          next: 'confirmed',
        }),
        {
          ...{ id: 'confirmed', name: 'Confirmed?', type: 'action_paths', within: 'P7D' },
          paths: [{ name: 'Confirmed', event: 'newsletter_confirmed', next: 'opt_in' }],
        },
        {
          ...{ id: 'opt_in', name: 'Opt in', type: 'update_user' },
          attributes: { email_subscribe: 'opted_in' },
          next: 'thanks',
        },
        message(sender, {
          ...{ id: 'thanks', name: 'Thank you', subject: 'You are on the list' },
          text: 'From now on you get our newsletter.',
        }),
      ],
    }),
  },
  {
    id: 'birthday',
    name: 'Birthday',
    description: 'A mail on the morning of the birthday. Your program keeps the attribute "next_birthday", a time.',
    definition: (sender) => ({
      name: 'Birthday',
      audience: {
        AND: [
          {
            custom_attribute: {
              ...{ custom_attribute_name: 'next_birthday', comparison: 'less_than_x_days_in_the_future', value: 1 },
            },
          },
        ],
      },
      entry: { schedule: { at: '09:00', zone: 'local' }, again: { after: 'P300D' } },
      conversions: [{ name: 'Opened', on: { opened: 'email' }, within: 'P7D' }],
      first: 'wish',
      steps: [
        message(sender, {
          ...{
            id: 'wish',
            name: 'Happy birthday',
            subject: 'Happy birthday, {{${first_name} | default: "dear customer"}}',
          },
          text: 'We have a small present for you.',
        }),
      ],
    }),
  },
]

/** A canvas without steps. */
export const emptyCanvas: Definition = { name: 'New canvas', entry: { by: ['api'] }, steps: [] }
