import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openRenderer, type Renderer } from '../../src/content/rendering/renderer.ts'
import { ann, nowMs, renderText, watchedSources, withRenderer } from '../support/liquid.ts'

const sources = watchedSources({
  '/json': { status: 200, text: '{"deep": {"n": 1}, "list": [1, 2]}' },
  '/list': { status: 200, text: '[1, 2]' },
  '/text': { status: 200, text: 'plain {{${first_name}}}' },
  '/missing': { status: 404, text: 'not here' },
  '/missing-json': { status: 404, text: '{"error": "x"}' },
  '/refused': { refused: 'refused.example must not be reached' },
})
let renderer: Renderer

before(() => {
  renderer = openRenderer({ sources, processes: 1 })
})
after(() => renderer.close())

async function holdTo(table: readonly (readonly [template: string, text: string])[]): Promise<void> {
  for (const [template, text] of table) assert.equal(await renderText(renderer, template), text, template)
}

test('fields of a person, under the names that engagement platforms use', () =>
  holdTo([
    ['Hi {{${first_name}}}!', 'Hi Ann!'],
    ['{{ ${first_name} }}{{${last_name}}}', 'AnnÜmlaut'],
    ['{{${user_id}}} {{${email_address}}} {{${phone_number}}}', 'u-1 ann@example.com +4712345678'],
    ['{{${city}}} {{${country}}} {{${language}}} {{${time_zone}}}', 'Oslo NO nb Europe/Oslo'],
    ['{{${date_of_birth}}} {{${random_bucket_number}}} {{${service_id}}}', '1990-05-17 77 0123456789abcdef01234567'],
    ['{{${email}}} {{${external_id}}}', 'ann@example.com u-1'],
    ['{{${last_used_app_date}}} {{${last_used_app_date} | date: "%B %-d"}}', '2026-02-28 08:43:50 UTC February 28'],
    ['[{{${gender}}}{{${nobody_knows}}}]', '[]'],
    [
      '{{${first_name} | default: "there"}} {{${gender} | default: "there"}} {{${nick} | default: \'x\' | upcase}}',
      'Ann there X',
    ],
    ['{% if ${first_name} != blank and ${nick} == blank %}yes{% endif %}', 'yes'],
    ['{{first_name}}', ''],
  ]))

test('attributes and properties, with blanks, dots and quotes in their names', () =>
  holdTo([
    ['{{custom_attribute.${plan}}}', 'gold'],
    ['{{ custom_attribute.${zip code} }} {{custom_attribute.${ a.b }}}', '0150 dotted'],
    ['{{custom_attribute.${say "hi"\\}}}', 'quoted'],
    ['{{custom_attribute.plan}} {{custom_attribute["zip code"]}}', 'gold 0150'],
    ['{{custom_attribute.${songs}[0].artist.name}} {{custom_attribute.${songs}[1].title}}', 'U2 Two'],
    [
      '{{custom_attribute.${brands}}} {{custom_attribute.${brands} | join: ", "}}',
      'NikePumaConverse Nike, Puma, Converse',
    ],
    ['{{event_properties.${items}[1].name}} {{event_properties.${item count}}}', 'Jam 2'],
    ['{{canvas_entry_properties.${product}.name}} {{context.${product}.sizes | last}}', 'Shoe 42'],
    [
      '{{api_trigger_properties.${code}}} {{subscribed_state.${email_global}}} {{campaign.${name}}}',
      'X1 opted_in Spring',
    ],
    ['{{custom_attribute.odd}} {{custom_attribute.odd | date: "%F"}}', '{"valueOf":1} {"valueOf":1}'],
    ['{{custom_attribute.${no}}}|{{custom_attribute.${missing}}}|{{custom_attribute.${empty}}}', 'false||'],
    ['{{custom_attribute.${nothing}.at.all[3]}}', ''],
    ['{{custom_attribute | property_accessor: ${nick}}}{{custom_attribute | property_accessor: "plan"}}', 'gold'],
    ['{{custom_attribute.${html}}}', '<b>"x" & \'y\'</b>'],
  ]))

test('braces inside braces, and inside the arguments of tags', () =>
  holdTo([
    ['{% if {{custom_attribute.${points}}} > 0 %}a{% else %}b{% endif %}', 'a'],
    ['{% assign n = {{event_properties.${item count} | plus: 50}} %}{{n}}', '52'],
    ['{% for brand in {{custom_attribute.${brands}}} limit:2 %}{{brand}},{% endfor %}', 'Nike,Puma,'],
    [
      "{% if {{custom_attribute.${brands}}} contains 'Puma' %}{% for items in {{custom_attribute.${ids}}} %}{{{{items}}}}{% endfor %}" +
        '{% endif %}',
      'ab',
    ],
    ['{% case {{custom_attribute.${plan}}} %}{% when {{custom_attribute.${plan}}} %}same{% endcase %}', 'same'],
    ['{% for i in (1..{{event_properties.${item count}}}) %}{{i}}{% endfor %}', '12'],
    ["{{ 'x' | append: {{${first_name}}} | append: ${last_name} }}", 'xAnnÜmlaut'],
    ['{{- {{- ${first_name} | upcase -}} -}} ', 'ANN'],
    [
      '{% liquid\n  assign who = {{${first_name} | upcase}}\n  echo who\n' +
        '  catalog_items shop {{custom_attribute.${fav}}}\n  echo items[0].name\n%}',
      'ANNBerry',
    ],
    ['{% if {{${nick}}} == nil or {{${first_name}}} == "x" %}none{% endif %}', 'none'],
  ]))

test('strings, raw text and comments are not rewritten', () =>
  holdTo([
    ['{{ "${x} {{ y }}" }}', '${x} {{ y }}'],
    ["{{ '}}' }}{{ \"it's\" }}", "}}it's"],
    ['{% raw %} {{ ${x} }} {% if %}\n{% endraw %}', ' {{ ${x} }} {% if %}\n'],
    ['a {%- raw -%} b {%- endraw -%} c', 'a b c'],
    ['{% comment %}{{ ${ {% unknown %} {% endcomment %}ok', 'ok'],
    ['{% # a note with ${ %}ok', 'ok'],
    ['${first_name} $ { {  } %} }} {x}', '${first_name} $ { {  } %} }} {x}'],
    ['  a\r\n\t{{ "b" }}  \n\n', '  a\r\n\tb  \n\n'],
    [' {{- "b" -}} \n c', 'bc'],
  ]))

test('items of catalogs', async () => {
  await holdTo([
    ['{% catalog_items shop a, b %}{{items[0].name}} {{items[1].price}}', 'Apple 5'],
    ['{% catalog_items shop {{custom_attribute.${fav}}} %}{{items[0].name}}', 'Berry'],
    ['{% catalog_items shop {{custom_attribute.${ids}}} %}{% for i in items %}{{i.name}} {% endfor %}', 'Apple Berry '],
    ["{% catalog_items {{'shop'}} 'b',{{ 'a' }} %}{{items[0].name}}{{items[1].name}}", 'BerryApple'],
    ['{% catalog_items shop gone, a %}{% if items[0] == blank %}none{% endif %}{{items[1].name}}', 'noneApple'],
    ['{% catalog_items shop a %}{{items[0].hello}}', 'Hi {{${first_name}}}'],
    ['{% catalog_items shop a, gone :rerender %}{{items[0].hello}}', 'Hi Ann'],
    ['{% catalog_selection_items shop cheap %}{{items.size}}{{items[0].name}}', '1Apple'],
  ])
  assert.deepEqual(await renderText(renderer, 'x\n{% catalog_items shoop a %}'), {
    outcome: 'failed',
    text: 'text',
    message: 'there is no catalog "shoop"',
    line: 2,
    column: 1,
  })
})

test('text that is rendered a second time looks nothing up, in any tag', async () => {
  const tag = 'connected_content https://a.example/x :basic_auth partner :save z'
  for (const hello of [`{% ${tag} %}`, `{% liquid\n ${tag}\n%}`, '{{content_blocks.${footer}}}']) {
    const asking = { ...watchedSources(), catalogItems: async () => [{ id: 'a', hello }] }
    const rendered = await withRenderer(asking, (each) => renderText(each, '{% catalog_items shop a :rerender %}'))
    assert.match(JSON.stringify(rendered), /"text that is rendered again must not ask for more"/)
    assert.deepEqual(asking.wishes, [])
  }
})

test('items of one catalog are looked up together for people who are rendered together', async () => {
  sources.calls.length = 0
  const people = ['a', 'b', 'a', 'c'].map((fav) => ({ ...ann, custom: { fav } }))
  const text = '{% catalog_items shop {{custom_attribute.${fav}}} %}{{items[0].name}}'
  const rendered = await renderer.renderMany({ text }, people, { workspace_id: 1, nowMs })
  assert.deepEqual(
    rendered.map((each) => each.outcome === 'rendered' && each.texts.text),
    ['Apple', 'Berry', 'Apple', ''],
  )
  assert.deepEqual(sources.calls, ['shop: a b c'])
})

test('content blocks are rendered where they are included, with the variables of the template', async () => {
  await holdTo([
    ['{{content_blocks.${footer}}}{{set_inside}}', 'Bye Ann1'],
    ["{{ content_blocks.${footer} | id: 'cb1' | upcase }}", 'BYE ANN'],
    ['{{content_blocks.${outer}}}', '[Bye Ann]'],
    ['{{content_blocks.${deep1}}}', '123'],
    ['{% if {{content_blocks.${deep3}}} == "3" %}three{% endif %}{{content_blocks.${asks}}}', 'threeApple'],
    ['{% if false %}{{content_blocks.${unknown}}}{% endif %}ok', 'ok'],
  ])
  const messages: Record<string, string> = {
    deep0: 'in the content block "deep2": content blocks are nested deeper than 3',
    selfish: 'in the content block "selfish": the content block "selfish" contains itself',
    ping: 'in the content block "pong": the content block "ping" contains itself',
    broken: 'the content block "broken" does not parse: undefined filter: nothing',
    unknown: 'there is no content block "unknown"',
  }
  for (const [name, message] of Object.entries(messages)) {
    const rendered = await renderText(renderer, `{{content_blocks.\${${name}}}}`)
    const [, content_block] = /^in the content block "(\w+)"/.exec(message) ?? []
    assert.deepEqual(rendered, {
      ...{ outcome: 'failed', text: 'text', message, line: 1, column: name === 'deep0' ? 2 : 1 },
      ...(content_block !== undefined && { content_block }),
    })
  }
})

test('connected content', async () => {
  await holdTo([
    ['{% connected_content https://a.example/json %}{{connected.deep.n}} {{connected.__http_status_code__}}', '1 200'],
    ['{% connected_content https://a.example/json :save w %}{{w.list | join: "-"}}', '1-2'],
    ['{% connected_content https://a.example/list :save w %}{{w | join: "-"}}', '1-2'],
    ['a{% connected_content https://a.example/text %}b', 'aplain {{${first_name}}}b'],
    ['a{% connected_content https://a.example/text :rerender %}b', 'aplain Annb'],
    ['{% connected_content https://a.example/text :save t %}{{t | upcase}}', 'PLAIN {{${FIRST_NAME}}}'],
    [
      'a{% connected_content https://a.example/missing %}{% connected_content https://a.example/nobody :save n %}{{n}}b',
      'ab',
    ],
    ['{% connected_content https://a.example/missing-json :save m %}{{m.__http_status_code__}}{{m.error}}', '404x'],
  ])
  assert.deepEqual(await renderText(renderer, '{% connected_content https://a.example/refused %}'), {
    outcome: 'failed',
    text: 'text',
    message: 'connected_content: refused.example must not be reached',
    line: 1,
    column: 1,
  })
})

test('the requests of connected content', async () => {
  sources.wishes.length = 0
  await renderText(renderer, '{% connected_content https://a.example/{{${user_id}}}?c={{${city} | url_encode}} %}')
  await renderText(
    renderer,
    `{% connected_content https://a.example/x
       :method post :headers {"X-Name": "{{\${first_name}}}", "b": "c :save d"} :content_type application/json
       :body {"plan": "{{custom_attribute.\${plan}}}", "at": ":now"} :basic_auth partner :retry :cache_max_age 900 :save w %}`,
  )
  await renderText(
    renderer,
    '{% connected_content "https://a.example/y" :method POST :body k=1&v={{${first_name}}} :no_cache %}',
  )
  const [get, json, form] = sources.wishes
  assert.deepEqual(get, { url: 'https://a.example/u-1?c=Oslo', method: 'GET', headers: {}, cacheS: 300, retry: false })
  assert.deepEqual(json, {
    url: 'https://a.example/x',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-name': 'Ann', b: 'c :save d' },
    body: '{"plan": "gold", "at": ":now"}',
    basic_auth: 'partner',
    cacheS: 900,
    retry: true,
  })
  assert.deepEqual(form, {
    url: 'https://a.example/y',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'k=1&v=Ann',
    cacheS: 0,
    retry: false,
  })
})

test('a template may stop the message for a person, with a reason', async () => {
  const reasons: Record<string, string> = {
    "a{% abort_message('not enough points') %}b": 'not enough points',
    '{% abort_message("for {{${first_name}}}") %}': 'for Ann',
    '{% abort_message() %}': 'abort_message was called',
    '{% abort_message %}': 'abort_message was called',
    '{% abort_message(no plan) %}': 'no plan',
    '{{content_blocks.${stops}}}': 'from a block',
    '{% if {{custom_attribute.${points}}} > 5 %}{% for i in (1..3) %}{% abort_message("i{{i}}") %}{% endfor %}{% endif %}':
      'i1',
  }
  for (const [template, reason] of Object.entries(reasons))
    assert.deepEqual(await renderText(renderer, template), { outcome: 'aborted', reason }, template)
  await holdTo([
    ['a{% if false %}{% abort_message("x") %}{% endif %}{% message_extras :key test :value {{${city}}} %}b', 'ab'],
  ])
})

test('the time is that of the clock, and dates are formatted as in Ruby', () =>
  holdTo([
    ["{{ 'now' | date: '%Y-%m-%d %H:%M:%S %z %Z' }}", '2026-03-03 10:05:07 +0000 UTC'],
    ["{{ 'now' | date: '%s' | plus: 60 | date: '%R' }} {{ 'today' | date: '%F' }}", '10:06 2026-03-03'],
    [
      "{{ 'now' | date: '%A %-d %B %y, %l:%M %p|%-l%P|%e|%j|%^a|%3N|%L|%U|%V|%G|%u|%w|%q|%%|%D|%T' }}",
      'Tuesday 3 March 26, 10:05 AM|10am| 3|062|TUE|000|000|09|10|2026|2|2|rd|%|03/03/26|10:05:07',
    ],
    ["{{ custom_attribute.${since} | time_zone: 'Europe/Oslo' | date: '%d.%m %H:%M %z' }}", '01.03 23:30 +0100'],
    ['{{ custom_attribute.${since} | time_zone: ${time_zone} }}', '2026-03-01 23:30:00 +0100'],
    [
      "{{ '2026-07-01T12:00:00' | time_zone: 'America/New_York' | date: '%H:%M' }} " +
        "{{ '2026-07-01T12:00:00' | date: '%H %Z', 'America/New_York' }}",
      '08:00 08 EDT',
    ],
    [
      "{{ '2026-03-03T10:00:00-05:00' | date: '%H %z' }} {{ 'March 3, 2026 5:00 pm' | date: '%F %R' }} {{ 0 | date: '%F' }}",
      '10 -0500 2026-03-03 17:00 1970-01-01',
    ],
    ["{{ 'no date' | date: '%F' }} {{ nil | date: '%F' }}{{ 'now' | date: '%Q %' }}", 'no date %Q %'],
    [
      "{{ 'now' | time_zone: 'Nowhere/Land' | date: '%H' }} {{ 'now' | time_zone: 'Pacific Time (US & Canada)' | date: '%H' }}",
      '10 02',
    ],
    ["{{ 'now' | date_to_xmlschema }} {{ 'now' | date_to_string }}", '2026-03-03T10:05:07+00:00 03 Mar 2026'],
    ["{{ 'now' | date: '%010Y %_5d %-m %999999999d' | size }}", '119'],
  ]))

test('filters of the dialect', () =>
  holdTo([
    ["{{'hey' | md5}} {{'hey' | sha1}}", '6057f13c496ecf7fd777ceb9e79ae285 7f550a9f4c44173a37664d938f1355f0f92a47a7'],
    ["{{'hey' | sha2}}", 'fa690b82061edfd2852629aeba8a8977b57e40fcb77d1a7a28b26cba62591204'],
    ["{{'hey' | hmac_sha1_hex: 'secret_key'}}", '2a3969bed25bfeefb00aca4063eb9590b4df8f0e'],
    ["{{'hey' | hmac_sha1_base64: 'secret_key'}}", 'KjlpvtJb/u+wCspAY+uVkLTfjw4='],
    ["{{'hey' | hmac_sha256_hex: 'secret_key'}}", '8df897f8da3d7992fe57c8dbc6f27578cfbf2dcc4d0fbb4000b8c924841d508e'],
    ["{{'hey' | hmac_sha256_base64: 'secret_key'}}", 'jfiX+No9eZL+V8jbxvJ1eM+/LcxND7tAALjJJIQdUI4='],
    ["{{'blah' | base64_encode}} {{'YmxhaA==' | base64_decode}}", 'YmxhaA== blah'],
    [
      "{{'hey<>hi' | url_escape}} {{'hey<&>hi' | url_param_escape}} {{'a b&c' | url_encode}} {{'a+b%26%zz' | url_decode}}",
      'hey%3C%3Ehi hey%3C%26%3Ehi a+b%26c a b&%zz',
    ],
    [
      '{{ 123456 | number_with_delimiter }} {{custom_attribute.${points} | number_with_delimiter}} {{ "x" | number_with_delimiter }}',
      '123,456 1,234,567.5 x',
    ],
    ["{{ '12\"3\\\\4' | json_escape }} {{ custom_attribute.${ids} | as_json_string }}", '12\\"3\\\\4 ["a","b"]'],
    ['{% assign o = \'{"a": [1]}\' | json_parse %}{{ o.a[0] }}', '1'],
    [
      '{{ 10 | divided_by: 4 }} {{ 10 | divided_by: 4.0 }} {{ 10.5 | divided_by: 2 }} {{ -7 | divided_by: 2 }}',
      '2 2.5 5.25 -4',
    ],
    [
      "{{ 0.1 | plus: 0.2 }} {{ 0.1 | times: 3 }} {{ 5 | minus: '2.5' }} {{ '12 apples' | plus: 1 }} {{ -1 | modulo: 3 }}",
      '0.3 0.3 2.5 13 2',
    ],
    [
      '{% if nil >= 0 %}a{% endif %}{% if custom_attribute.${missing} <= 0 %}b{% endif %}{% if 1 < 2 %}c{% endif %}',
      'c',
    ],
    [
      "{{ event_properties.${items} | map: 'name' | join: '+' }} {{ event_properties.${items} | where: 'price', 4 | map: 'name' }}",
      'Tea+Jam Jam',
    ],
  ]))

test('a template that does not parse fails for everybody, with line and column', async () => {
  const rendered = await renderer.renderMany({ subject: 'Hi', body: 'a\n{{ x | y }}' }, [ann, ann], {
    workspace_id: 1,
    nowMs,
  })
  const failed = { outcome: 'failed', text: 'body', message: 'undefined filter: y', line: 2, column: 1 }
  assert.deepEqual(rendered, [failed, failed])
})

test('the outcomes of many people are in their order', async () => {
  const people = Array.from({ length: 257 }, (_, i) => ({ ...ann, standard: { n: i } }))
  const text =
    '{% if ${n} == 3 %}{% abort_message("three") %}{% endif %}{% if ${n} == 200 %}{{ 1 | divided_by: 0 }}{% endif %}{{${n}}}'
  const rendered = await renderer.renderMany({ text }, people, { workspace_id: 1, nowMs })
  rendered.forEach((each, i) => {
    if (i === 3) assert.deepEqual(each, { outcome: 'aborted', reason: 'three' })
    else if (i === 200) assert.equal(each.outcome === 'failed' && each.message, 'divided by 0')
    else assert.deepEqual(each, { outcome: 'rendered', texts: { text: String(i) } })
  })
})

test('variables of one person are not visible to the next', async () => {
  const text =
    '{% increment i %}{% assign custom_attribute = 5 %}{% assign x = x | append: "x" %}{{x}}{% cycle "a", "b" %}'
  const rendered = await renderer.renderMany({ text, again: text }, [ann, ann, ann], { workspace_id: 1, nowMs })
  for (const each of rendered)
    assert.deepEqual(each.outcome === 'rendered' && each.texts, { text: '0xa', again: '0xa' })
})

test('a person who cannot be sent to the process rejects the rendering, and the next rendering works', async () => {
  const custom = { plan: () => 'gold' }
  await assert.rejects(renderText(renderer, '{{custom_attribute.${plan}}}', { ...ann, custom }), /could not be cloned/)
  assert.equal(await renderText(renderer, '{{${first_name}}}'), 'Ann')
})

test('a source that is unavailable rejects the rendering, and the next rendering works', async () => {
  const broken = openRenderer({
    processes: 1,
    sources: { ...sources, catalogItems: () => Promise.reject(new Error('the database is unavailable')) },
  })
  await assert.rejects(renderText(broken, '{% catalog_items shop a %}'), /the database is unavailable/)
  assert.equal(await renderText(broken, '{{${first_name}}}'), 'Ann')
  await broken.close()
})
