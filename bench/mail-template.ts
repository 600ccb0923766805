/** The app that sends the mails; it is in the workspace file of the service. */
export const appId = '0b6f7a53-93f5-4c53-9e6a-0d3f4b6b9a11'
export const domain = 'shop.example'

const paragraph = '<p style="margin:0">A paragraph that is the same for everybody, as most of a mail is.</p>\n'
const fillings = paragraph.repeat(26)

/** A typical body of ten kilobytes: a greeting, a condition, a list, a date and tracked links, with different values for each person. */
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

/** A link that differs for each person, so that no two bodies have the same structure. */
const ownLink = '<p><a href="https://shop.example/you?id={{${user_id} | url_encode}}">Your page</a></p>'

const score = { custom_attribute_name: 'score', comparison: 'greater_than', value: -1 }
/** The audience that all people of the benchmark are in. */
export const everybody = { AND: [{ custom_attribute: score }] }

export type MailKind = 'same links' | 'own link'

/** Returns the body of a request that sends the mail to all people. */
export function broadcastOf(kind: MailKind) {
  const body = htmlOf(kind === 'own link' ? ownLink : '')
  const email = { app_id: appId, from: `Shop <news@${domain}>`, subject: 'Hi {{${first_name}}}, a sale', body }
  return { broadcast: true, audience: everybody, messages: { email } }
}
