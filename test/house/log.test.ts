import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { redactorFor, redactUrl } from '../../src/base/log.ts'

const modules = {
  config: new URL('../../src/base/config.ts', import.meta.url),
  log: new URL('../../src/base/log.ts', import.meta.url),
}

/** Returns what a process prints that runs `body`. The variable `log` is defined there. */
function printed(body: string, env: Record<string, string> = {}, terminal = false): string {
  const program = `
    import { readConfig } from '${modules.config}'
    import { createLog } from '${modules.log}'
    const log = createLog(readConfig(), ${terminal})
    ${body}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  })
  assert.equal(stderr, '')
  return stdout
}

test('without a terminal each log line is JSON, and process.exit loses no line', () => {
  const lines = printed("for (let i = 0; i < 2000; i++) log.info({ i }, 'a request was answered'); process.exit(0)")
    .trim()
    .split('\n')
  assert.equal(lines.length, 2000)
  const last = JSON.parse(lines.at(-1)!)
  assert.deepEqual(Object.keys(last), ['level', 'time', 'i', 'msg'])
})

test('on a terminal the log is plain text, and in production it is JSON there too', () => {
  const body = "log.info({ port: 8080 }, 'it listens')"
  assert.match(printed(body, {}, true), /INFO.*it listens[\s\S]*port.*8080/)
  assert.equal(JSON.parse(printed(body, { NODE_ENV: 'production' }, true)).msg, 'it listens')
})

test('EASEL_LOG sets the level of the log', () => {
  const body = "log.info('one'); log.error('two'); log.debug('three')"
  const messages = (level: string) =>
    printed(body, { EASEL_LOG: level })
      .trim()
      .split('\n')
      .map((line) => line && JSON.parse(line).msg)
  assert.deepEqual(messages('debug'), ['one', 'two', 'three'])
  assert.deepEqual(messages('error'), ['two'])
  assert.deepEqual(messages('silent'), [''])
})

test('every way to write a log line hides secrets', () => {
  const env = {
    EASEL_API_KEY: 'key-"1234567890123456789012345678901234',
    EASEL_ADMIN_TOKEN: 'admin-12345678901234567890123456789012',
    DATABASE_URL: 'postgres://easel:database%2F12345678@127.0.0.1/easel',
    SMTP_URL: 'smtp://easel:mail-12345678@127.0.0.1',
    SMS_URL: 'https://AC1:texts-12345678@127.0.0.1',
  }
  const body = `
    const [key, admin] = [process.env.EASEL_API_KEY, process.env.EASEL_ADMIN_TOKEN]
    log.info({ headers: { Authorization: 'Bearer unknown-12345678', cookie: ['a=unknown-12345678'].join() } }, 'in a header')
    log.info({ a: { b: { c: { d: [{ e: key }] } } } }, 'deep down ' + key)
    log.info({ path: '/x?api_key=unknown-12345678&a=1', scim_token: 'unknown-12345678' })
    log.error({ err: new Error('cannot reach ' + process.env.DATABASE_URL + ' as ' + admin) })
    log.warn(new Error('the provider says no to texts-12345678'))
    log.warn(new Error('smtp says no to mail-12345678', { cause: new Error('database/12345678') }))
    log.child({ authorization: 'Basic dW5rbm93bjoxMjM0NTY3OA==' }).info('a child with ' + key)
    log.info('Bearer unknown-12345678 %s', admin)`
  for (const terminal of [false, true]) {
    const text = printed(body, env, terminal)
    assert.doesNotMatch(text, /12345678|dW5rbm93bjoxMjM0NTY3OA/)
    assert.match(text, /cannot reach postgres:\/\/easel/)
  }
})

test('the log leaves out rows and values that a database quotes in an error', () => {
  const body = `
    const ann = 'ann@example.com'
    const fields = { code: '23505', constraint: 'contact_pkey', statement: 'insert into contact values ($1)',
      detail: 'Key (value)=(' + ann + ')', where: 'line 1: ' + ann, internalQuery: ann, parameters: [ann], params: [ann] }
    const refused = () => Object.assign(new Error('duplicate key value'), fields)
    log.error({ err: refused() }, 'one')
    log.error(refused())
    log.error({ err: new Error('outer', { cause: refused() }) })
    log.error({ err: Object.assign(new Error('outer'), { inner: refused() }) })
    log.error({ err: new AggregateError([refused()], 'many') })
    log.child({ request_id: 'r' }).error({ err: refused() })
    log.error({ err: 'no error ' })
    log.error({ err: undefined })`
  for (const terminal of [false, true]) {
    const text = printed(body, {}, terminal)
    assert.doesNotMatch(text, /ann@/)
    assert.equal(text.match(/"constraint": ?"contact_pkey"/g)?.length, 5)
    assert.match(text, /insert into contact values/)
    assert.match(text, /no error/)
  }
})

test('a redacted line is still JSON and keeps everything except secrets', () => {
  const redact = redactorFor(['top"secret'])
  const line = JSON.stringify({
    level: 30,
    key_id: 'k1',
    push_tokens: 3,
    token: 'a"b\\',
    text: 'x top"secret y',
    url: 'https://a.example/b?c=1',
  })
  const parsed = JSON.parse(redact(line))
  assert.deepEqual(parsed, {
    level: 30,
    key_id: 'k1',
    push_tokens: 3,
    token: '[hidden]',
    text: 'x [hidden] y',
    url: 'https://a.example/b?c=1',
  })
})

test('the log shows a URL without its password and query', () => {
  assert.equal(
    redactUrl('postgres://easel:p%40ss@db.example:5432/easel?password=x'),
    'postgres://easel:***@db.example:5432/easel',
  )
  assert.equal(redactUrl('smtp://mail.example'), 'smtp://mail.example')
  assert.equal(redactUrl('postgres://db.example/easel'), 'postgres://db.example/easel')
  assert.equal(redactUrl('smtps://a:b:c@mail.example'), 'smtps://a:***@mail.example')
})
