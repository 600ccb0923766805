import { groupIds, phoneApp, webApp } from './people.ts'
import { products } from './products.ts'

/** The id of the workspace of the demo. */
export const demoId = 'demo'
export const demoName = 'Demo: a shop for handicraft'

const from = 'Studio Loom <hello@example.com>'
const site = 'https://shop.example.com'
const name = "{{${first_name} | default: 'there'}}"

function mail(subject: string, text: string, path: string) {
  const body = [
    `<h1>${subject}</h1><p>${text}</p>`,
    `<p><a href="${site}${path}">See it in the shop</a></p>`,
    '{{content_blocks.${footer}}}',
  ].join('\n')
  return { app_id: webApp, from, subject, body }
}

/** The letter of a month: with a block before and after it, a value of the person, and an item of the catalog. */
const letterBody = [
  '{{content_blocks.${greeting}}}',
  '<p>This month we dye with indigo, and show how to wash linen so that it stays soft.</p>',
  "{% if custom_attribute.${favourite_category} == 'yarn' %}",
  '<p>You like yarn: the new merino is here, in twelve colours.</p>',
  '{% endif %}',
  '{% catalog_items products ink-indigo %}',
  '<h2>{{items[0].name}}</h2>',
  '<p>{{items[0].price_usd}} dollars, while it lasts.</p>',
  `<p><a href="${site}/indigo">See it in the shop</a></p>`,
  '{{content_blocks.${footer}}}',
].join('\n')

/** The flows of the demo by the ids of the interface. */
export const flowIds = {
  welcome: 'demo-welcome',
  cart: 'demo-abandoned-cart',
  newsletter: 'demo-newsletter',
  sale: 'demo-spring-sale',
  winBack: 'demo-win-back',
} as const

export const readersId = 'demo-newsletter-readers'

const segments = [
  {
    id: readersId,
    name: 'Newsletter readers',
    description: 'Everybody who has subscribed to the newsletter.',
    audience: {
      subscription_group: { subscription_group_id: groupIds.newsletter, comparison: 'is', value: 'subscribed' },
    },
  },
  {
    id: 'demo-gold',
    name: 'Gold customers',
    description: 'More than four orders in 90 days.',
    audience: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } },
  },
  {
    id: 'demo-yarn',
    name: 'Yarn and fabric',
    description: 'People who like yarn or fabric best.',
    audience: {
      OR: ['yarn', 'fabric'].map((value) => ({
        custom_attribute: { custom_attribute_name: 'favourite_category', comparison: 'equals', value },
      })),
    },
  },
  {
    id: 'demo-quiet',
    name: 'Quiet for six weeks',
    description: 'They came before, and have not ordered anything for 45 days.',
    audience: {
      AND: [
        { session_count: { comparison: 'greater_than', value: 0 } },
        { NOT: { last_custom_event: { name: 'order_placed', comparison: 'less_than_x_days_ago', value: 45 } } },
      ],
    },
  },
]

const canvases = [
  {
    id: flowIds.welcome,
    name: 'Welcome series',
    description: 'The shop calls it twice a week with everybody who has signed up since.',
    state: 'active',
    entry: { by: ['api'], again: 'never' },
    conversions: [{ name: 'First order', on: { event: 'order_placed' }, within: 'P14D' }],
    control_percent: 5,
    first: 'hello',
    steps: [
      {
        id: 'hello',
        type: 'message',
        name: 'Hello',
        message: mail(`Welcome, ${name}`, 'Good to have you here.', '/start'),
        next: 'three_days',
      },
      { id: 'three_days', name: 'Three days', type: 'delay', for: 'P3D', next: 'likes_yarn' },
      {
        id: 'likes_yarn',
        name: 'Likes yarn?',
        type: 'decision',
        segment: { segment_id: 'demo-yarn' },
        yes: 'yarn',
        no: 'tips',
      },
      {
        id: 'yarn',
        type: 'message',
        name: 'Yarn and fabric',
        message: mail('Three things to make from one ball of yarn', 'Each takes an evening.', '/yarn'),
        next: 'a_week',
      },
      {
        id: 'tips',
        type: 'message',
        name: 'Tips',
        message: mail('Three tips for your first project', 'Begin small.', '/tips'),
        next: 'a_week',
      },
      { id: 'a_week', name: 'A week', type: 'delay', for: 'P7D', next: 'offer' },
      {
        id: 'offer',
        type: 'message',
        name: 'Offer',
        message: mail(`A tenth off for you, ${name}`, 'Until the end of the month.', '/offer'),
      },
    ],
  },
  {
    id: flowIds.cart,
    name: 'Abandoned cart',
    description: 'Reminds people of a cart that they have not ordered.',
    state: 'active',
    entry: { event: 'cart_updated', again: { after: 'P7D' } },
    exit: { events: ['order_placed'] },
    conversions: [{ name: 'Ordered', on: { event: 'order_placed' }, within: 'P3D' }],
    control_percent: 10,
    first: 'four_hours',
    steps: [
      { id: 'four_hours', name: 'Four hours', type: 'delay', for: 'PT4H', next: 'remind' },
      {
        id: 'remind',
        type: 'message',
        name: 'Reminder',
        message: mail('Your cart is still here', 'We keep it for a week.', '/cart'),
        next: 'two_days',
      },
      { id: 'two_days', name: 'Two days', type: 'delay', for: 'P2D', next: 'last' },
      {
        id: 'last',
        type: 'message',
        name: 'Last reminder',
        message: mail(`Shall we empty your cart, ${name}?`, 'It is yours until Sunday.', '/cart'),
      },
    ],
  },
]

const campaigns = [
  {
    id: flowIds.newsletter,
    name: 'Newsletter',
    description: 'Every four weeks to everybody who wants it.',
    state: 'active',
    segment: { segment_id: readersId },
    messages: [{ id: 'news', email: mail('New in the studio', `Dear ${name}, this month: colour.`, '/news') }],
  },
  {
    id: flowIds.sale,
    name: 'Spring sale',
    description: 'Two subjects against each other, and a tenth of the people as a control group.',
    state: 'active',
    control_percent: 10,
    conversions: [{ name: 'Ordered', on: { event: 'order_placed' }, within: 'P3D' }],
    messages: [
      { id: 'short', name: 'Short', percent: 50, email: mail('Spring sale', 'A fifth off everything.', '/sale') },
      {
        id: 'personal',
        name: 'Personal',
        percent: 50,
        email: mail(`${name}, spring is on sale`, 'A fifth off everything.', '/sale'),
      },
    ],
  },
  {
    id: flowIds.winBack,
    name: 'Win-back',
    description: 'To people who have not ordered for six weeks.',
    state: 'active',
    segment: { segment_id: 'demo-quiet' },
    conversions: [{ name: 'Came back', on: { event: 'order_placed' }, within: 'P7D' }],
    messages: [
      { id: 'miss', email: mail(`We have not seen you for a while, ${name}`, 'What shall we make?', '/again') },
    ],
  },
]

/** The workspace file of the demo. Its mail never goes to a mail server. */
export const demoFile = {
  workspace: { id: demoId, name: demoName },
  settings: {
    mail_delivery: 'inbox',
    time_zone: 'Europe/Berlin',
    frequency_cap: [{ count: 2, per: 'P7D' }],
    reply_to: 'hello@example.com',
  },
  apps: [
    { id: webApp, name: 'Web shop', platform: 'web' },
    { id: phoneApp, name: 'Phone app', platform: 'ios' },
  ],
  // Nobody is told its text: the demo gets no calls.
  api_keys: [{ name: 'Web shop', permissions: ['users.track'] }],
  subscription_groups: [
    { id: groupIds.newsletter, name: 'Newsletter', channel: 'email' },
    { id: groupIds.workshops, name: 'Workshops near you', channel: 'email' },
    { id: groupIds.deliveries, name: 'Deliveries', channel: 'sms' },
  ],
  segments,
  catalogs: [
    {
      name: 'products',
      description: 'What the shop sells.',
      fields: [
        { name: 'id', type: 'string' },
        { name: 'name', type: 'string' },
        { name: 'category', type: 'string' },
        { name: 'price_usd', type: 'number' },
        { name: 'in_stock', type: 'boolean' },
      ],
    },
  ],
  content_blocks: [
    {
      name: 'footer',
      content: '<p>Studio Loom, 1 Example Street. You get this because you are a customer.</p>',
      description: 'Below every mail',
    },
    { name: 'greeting', content: `<p>Hello ${name},</p>`, description: 'The first line of a letter' },
  ],
  email_templates: [
    {
      id: 'demo-letter',
      name: 'Letter',
      subject: 'News from the studio',
      preheader: 'Colour, and a pattern to try',
      body: letterBody,
    },
    {
      id: 'demo-receipt',
      name: 'Receipt',
      subject: 'Your order, {{${first_name} | default: "friend"}}',
      body: '<h1>Thank you</h1>{{content_blocks.${footer}}}',
    },
  ],
  canvases,
  campaigns,
}

/** The items of the catalog of products. */
export const catalogItems = products.map(({ id, name: item, category, price }, i) => ({
  id,
  given: { name: item, category, price_usd: price, in_stock: i % 9 !== 4 },
}))
