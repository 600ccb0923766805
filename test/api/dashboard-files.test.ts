import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { startService } from '../support/harness.ts'

/** Creates a folder like that of a build. */
function builtFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'easel-dashboard-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(
    join(folder, 'index.html'),
    '<meta content="%NONCE%"><script src="%ROOT%dashboard/assets/a-1.js"></script>',
  )
  for (const [suffix, text] of [
    ['', 'plain'],
    ['.gz', 'gzipped'],
    ['.br', 'brotli'],
  ]) {
    writeFileSync(join(folder, `assets/a-1.js${suffix}`), text!)
  }
  writeFileSync(join(folder, 'assets/b-1.woff2'), 'font')
  return folder
}

test('every address of the dashboard has its page, with a policy and a new nonce for each answer', async (t) => {
  await using service = await startService({ dashboardFolder: builtFolder(t) })
  const nonces = new Set<string>()
  for (const [path, root] of [
    ['/dashboard', ''],
    ['/dashboard/w/default/people?q=ada', '../../../'],
    ['/dashboard/w/default/people/0123', '../../../../'],
  ] as const) {
    const { status, headers, text } = await service.get(path, { key: null })
    assert.deepEqual([status, headers['cache-control']], [200, 'no-cache'])
    const nonce = /content="([\w+/=]+)"/.exec(text)![1]!
    nonces.add(nonce)
    assert.ok(text.includes(`src="${root}dashboard/assets/a-1.js"`), text)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]+'; /)
    assert.ok(policy.includes(nonce) && !policy.includes('unsafe') && policy.endsWith("frame-ancestors 'none'"))
  }
  assert.equal(nonces.size, 3)
})

test('files of the dashboard are sent compressed and kept by browsers, and no other file is sent', async (t) => {
  await using service = await startService({ dashboardFolder: builtFolder(t) })
  const file = (name: string, accepted?: string) =>
    service.get(`/dashboard/assets/${name}`, {
      key: null,
      ...(accepted && { headers: { 'accept-encoding': accepted } }),
    })
  for (const [accepted, coding, text] of [
    ['gzip, br', 'br', 'brotli'],
    ['gzip', 'gzip', 'gzipped'],
    ['identity', undefined, 'plain'],
    [undefined, undefined, 'plain'],
  ] as const) {
    const answer = await file('a-1.js', accepted)
    assert.equal(answer.headers['content-encoding'], coding, String(accepted))
    assert.equal(answer.text, text)
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
  }
  assert.equal((await file('b-1.woff2', 'gzip, br')).headers['content-type'], 'font/woff2')
  for (const name of ['c-1.js', '..%2findex.html', '..%2F..%2F.built', 'a-1.js.gz', '.built', '%00.js']) {
    assert.equal((await file(name)).status, 404, name)
  }
})

test('after a failed build the page says why', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-dashboard-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, '.failed'), 'The dashboard could not be built (status 1). <b>Error</b>\n')
  await using service = await startService({ dashboardFolder: folder })
  const { status, text } = await service.get('/dashboard/w/default', { key: null })
  assert.equal(status, 200)
  assert.match(text, /<p role="alert">The dashboard could not be built \(status 1\)\. &#60;b&#62;Error/)
  assert.match(text, /<a href="\.\.\/\.\.\/docs">/)
})
