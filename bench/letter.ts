/** The app that mails are sent in the name of; the service of a run declares it. */
export const appId = '0b6f7a53-93f5-4c53-9e6a-0d3f4b6b9a11'
export const domain = 'shop.example'

const paragraph = '<p style="margin:0">A paragraph that is the same for everybody, as most of a mail is.</p>\n'
const fillings = paragraph.repeat(26)

/** Ten kilobytes as people write them: a greeting, a condition, a list, a date, links that are counted; the words are everybody's own. */
const parts = [
  '<h1>Hi {{${first_name} | default: "there"}},</h1>',
  '<p>{% if {{custom_attribute.${plan}}} == "gold" %}points: {{custom_attribute.${score}}}{% else %}join us{% endif %}</p>',
  '<ul>{% for tag in {{custom_attribute.${tags}}} %}<li>{{tag | escape}}</li>{% endfor %}</ul>',
  '<p>Until {{"now" | date: "%d.%m.%Y"}} in {{custom_attribute.${city}}}: <a href="https://shop.example/sale">to the sale</a>,\n' +
    '<a href="https://shop.example/news?from=mail">what is new</a>, <a href="https://shop.example/">the shop</a></p>',
]

function htmlOf(own: string): string {
  const body = parts.map((part) => part + fillings).join('\n')
  return `<!doctype html><html><head><title>Sale</title></head><body>${body}${own}</body></html>`
}

/** A link that is everybody's own, so that no two bodies have the same shape. */
const ownLink = '<p><a href="https://shop.example/you?id={{${user_id} | url_encode}}">Your page</a></p>'

const score = { custom_attribute_name: 'score', comparison: 'greater_than', value: -1 }
const everybody = { AND: [{ custom_attribute: score }] }

export type LetterKind = 'same links' | 'own link'

/** The body of a request that sends it to everybody. */
export function broadcastOf(kind: LetterKind) {
  const body = htmlOf(kind === 'own link' ? ownLink : '')
  const email = { app_id: appId, from: `Shop <news@${domain}>`, subject: 'Hi {{${first_name}}}, a sale', body }
  return { broadcast: true, audience: everybody, messages: { email } }
}
