import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FetchResponse } from '../../src/base/fetch/fetch.ts'
import { previewsMax } from '../../src/content/rendering/open-previews.ts'
import { previewTextsMax } from '../../src/content/rendering/preview.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { many } from '../support/people.ts'

for (const database of drawDatabases('admin-render')) {
  describe(`/admin/render (${database})`, () => {
    let service: Service
    before(async () => {
      service = await startService({ database, env: { EASEL_CLOCK: 'virtual' } })
    })
    after(() => service[Symbol.asyncDispose]())

    const render = (body: unknown) => service.send('POST', '/admin/render', body, { key: service.adminToken })
    const renderText = async (text: string, personal = {}) => (await render({ texts: { text }, personal })).body

    test('texts are rendered for the given person at the time of the clock', async () => {
      const { body: clock } = await service.admin('GET', '/admin/clock')
      const { status, body } = await render({
        texts: {
          subject: 'Hi {{${first_name}}}',
          body: "{{custom_attribute.${zip code}}} {{'now' | date: '%Y-%m-%dT%H:%M'}}",
        },
        personal: { standard: { first_name: 'Ann' }, custom: { 'zip code': '0150' } },
      })
      assert.equal(status, 200)
      assert.equal(body.outcome, 'rendered')
      assert.deepEqual(body.texts, { subject: 'Hi Ann', body: `0150 ${clock.now.slice(0, 16)}` })
    })

    test('a text that aborts or fails returns the reason and the position', async () => {
      assert.deepEqual(await renderText("{% abort_message('no plan') %}"), {
        outcome: 'aborted',
        reason: 'no plan',
        message: 'success',
      })
      assert.deepEqual(await renderText('a\n {{ x | y }}'), {
        outcome: 'failed',
        text: 'text',
        message: 'undefined filter: y',
        line: 2,
        column: 2,
      })
    })

    test('catalogs and content blocks are those of the workspace', async () => {
      const catalogs = [
        {
          name: 'shop',
          description: '',
          fields: [
            { name: 'id', type: 'string' },
            { name: 'name', type: 'string' },
          ],
        },
      ]
      assert.equal((await service.post('/catalogs', { catalogs })).status, 201)
      const items = [
        { id: 'a', name: 'Apple' },
        { id: 'b', name: 'Berry' },
      ]
      assert.equal((await service.post('/catalogs/shop/items', { items })).status, 202)
      const block = { name: 'footer', content: 'Bye {{${first_name}}}', state: 'active' }
      assert.equal((await service.post('/content_blocks/create', block)).status, 201)
      const text =
        '{% catalog_items shop {{custom_attribute.${fav}}}, gone %}{{items[0].name}}{{items[1].name}} {{content_blocks.${footer}}}'
      const { texts } = await renderText(text, { standard: { first_name: 'Ann' }, custom: { fav: 'b' } })
      assert.equal(texts.text, 'Berry Bye Ann')

      const unknown = await renderText('{{content_blocks.${a\u0000}}}')
      assert.equal(unknown.message, 'there is no content block "a\u0000"')
      const nul = "{% catalog_items shop {{ '%00' | url_decode }} %}{{items[0].name}}"
      assert.equal((await renderText(nul)).texts.text, '')

      const selection = { name: 'last', sort_field: 'name', sort_order: 'desc', results_limit: 1 }
      assert.equal((await service.post('/catalogs/shop/selections', { selection })).status, 202)
      const selected = (words: string) => renderText(`{% catalog_selection_items ${words} %}{{items[0].name}}`)
      assert.equal((await selected('shop last')).texts.text, 'Berry')
      for (const [catalog, name] of [
        ['shop', 'first'],
        ['nowhere', 'last'],
      ]) {
        const { outcome, message } = await selected(`${catalog} ${name}`)
        assert.equal(outcome, 'failed')
        assert.match(message, new RegExp(`there is no selection "${name}" of a catalog "${catalog}"`))
      }
    })

    test('connected content cannot reach this machine, its network, or the metadata service of a cloud', async () => {
      const urls = [
        'http://127.0.0.1/',
        'http://[::1]/',
        'http://169.254.169.254/latest',
        'http://10.0.0.1/',
        'http://2130706433/',
        'file:///etc/passwd',
      ]
      for (const url of [...urls, `${service.url}/health`]) {
        const { outcome, message } = await renderText(`{% connected_content ${url} %}`)
        assert.equal(outcome, 'failed', url)
        assert.match(message, /^connected_content: /, url)
      }
      const { message } = await renderText('{% connected_content https://example.com :basic_auth partner %}')
      assert.equal(message, 'connected_content: there is no credential "partner"')
    })

    test('a template that does not end does not delay other requests', async () => {
      const endless = renderText(`${'{% for i in (1..1000) %}'.repeat(3)}${'{% endfor %}'.repeat(3)}`)
      assert.equal((await service.admin('GET', '/admin/clock')).status, 200)
      assert.equal((await endless).outcome, 'failed')
    })

    test('an invalid request is refused with the name of the member', async () => {
      const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, 'x']))
      const refused: readonly (readonly [body: unknown, message: RegExp])[] = [
        [[], /'texts'/],
        [null, /'texts'/],
        [{}, /'texts' must be an object/],
        [{ texts: [] }, /'texts' must be an object/],
        [{ texts: {} }, /1 to 20/],
        [{ texts: texts(previewTextsMax + 1) }, /1 to 20/],
        [{ texts: { a: 1 } }, /'texts.a' must be a text/],
        [{ texts: { a: 'x' }, other: 1 }, /'other' is not a member/],
        [{ texts: { a: 'x' }, personal: [] }, /'personal' must be an object/],
        [{ texts: { a: 'x' }, personal: { customs: {} } }, /'personal.customs' is not known/],
        [{ texts: { a: 'x' }, personal: { custom: [1] } }, /'personal.custom' must be an object/],
      ]
      for (const [body, message] of refused) {
        const answer = await render(body)
        assert.equal(answer.status, 400, JSON.stringify(body))
        assert.match(answer.body.message, message)
      }
      assert.equal((await render({ texts: texts(previewTextsMax) })).status, 200)
    })
  })
}

test('a workspace has a limit of previews that are rendered at a time', async (t) => {
  const asked: (() => void)[] = []
  const fetcher = {
    fetch: (url: string) =>
      new Promise<FetchResponse>((resolve) =>
        asked.push(() => resolve({ status: 200, headers: {}, body: Buffer.from('x'), url })),
      ),
    close: async () => {},
  }
  const service = await startService({ fetcher })
  t.after(() => service[Symbol.asyncDispose]())
  await service.admin('POST', '/admin/workspace', { id: 'other', name: 'Other' })
  const render = (text: string, query = '') =>
    service.send('POST', `/admin/render${query}`, { texts: { text } }, { key: service.adminToken })
  const slow = '{% connected_content https://slow.example.com/ :no_cache %}'

  const waiting = many(previewsMax - 1, () => render(slow))
  await eventually('previews wait for a server', () => asked.length > 0)
  assert.equal((await render('at the limit')).status, 200)
  waiting.push(render(slow))
  await eventually('all are taken', async () => (await render('above the limit')).status === 429)
  const { status, body, headers } = await render('above the limit')
  assert.deepEqual(
    [status, body, headers['retry-after']],
    [429, { message: `At most ${previewsMax} previews of a workspace may be rendered at a time` }, '1'],
  )
  assert.equal((await render('of another workspace', '?workspace=other')).status, 200)

  let isOver = false
  const over = Promise.all(waiting).finally(() => {
    isOver = true
  })
  await eventually('all previews end', () => {
    for (const answer of asked.splice(0)) answer()
    return isOver
  })
  for (const { status, text } of await over) assert.equal(status, 200, text)
  assert.equal((await render('again')).status, 200)
})
