import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { describe } from 'node:test'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { readConfig } from '../../src/base/config.ts'
import { openTelemetry } from '../../src/base/otel/open-telemetry.ts'
import { activeSpan, activeTelemetry, noteWork, type Telemetry } from '../../src/base/telemetry.ts'
import { signalsOf } from '../../src/base/telemetry-variables.ts'
import { startCollector } from '../servers/collector.ts'
import { startMailServer } from '../servers/smtp.ts'
import { eventually } from '../support/eventually.ts'
import { fetcherOf, serve } from '../support/fetchers.ts'
import { drawDatabases, startService } from '../support/harness.ts'
import { letter } from '../support/messages.ts'
import type { ReceivedSpan } from '../support/otlp.ts'
import { apps } from '../support/people.ts'

const quickly = { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_METRIC_EXPORT_INTERVAL: '200' }
const never = '3600000'
const parent = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const traceparent = `00-${parent.traceId}-${parent.spanId}-01`

type Line = Readonly<Record<string, unknown>>

function logTo(lines: Line[]) {
  return pino({ level: 'info', base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
}

async function trackOnce(service: Awaited<ReturnType<typeof startService>>, external_id: string, headers = {}) {
  const attributes = [{ external_id, email: `${external_id}@example.com` }]
  const answer = await service.post('/users/track', { attributes }, { headers })
  assert.equal(answer.status, 201, answer.text)
  return answer
}

for (const database of drawDatabases('telemetry')) {
  describe(`traces and metrics with ${database}`, () => {
    test('a request is a span of the trace of its caller, with its statements below it and a link to its flush', async () => {
      await using collector = await startCollector()
      {
        await using service = await startService({
          database,
          env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...quickly },
        })
        const { headers } = await trackOnce(service, 'somebody-private', { traceparent })
        const listed = await service.admin('GET', '/admin/keys')
        assert.equal(listed.status, 200)
        await eventually('the spans of both have come', () => {
          const names = new Set(collector.spans().map(({ name }) => name))
          return names.has('POST /users/track') && names.has('GET /admin/keys') && names.has('intake.flush')
        })
        const request = spanNamed(collector.spans(), 'POST /users/track')
        assert.deepEqual([request.traceId, request.parentSpanId, request.kind], [parent.traceId, parent.spanId, 2])
        assert.equal(request.attributes['http.route'], '/users/track')
        assert.equal(request.attributes['http.request.method'], 'POST')
        assert.equal(request.attributes['http.response.status_code'], 201)
        assert.equal(request.attributes['easel.request_id'], headers['x-request-id'])
        assert.equal(typeof request.attributes['easel.workspace_id'], 'number')
        assert.ok(request.endMs >= request.startMs && request.startMs > Date.UTC(2020))

        const flush = spanNamed(collector.spans(), 'intake.flush')
        assert.notEqual(flush.traceId, request.traceId)
        assert.deepEqual(flush.links, [{ traceId: request.traceId, spanId: request.spanId }])
        assert.deepEqual(request.links, [{ traceId: flush.traceId, spanId: flush.spanId }])
        const own = collector.spans().filter(({ traceId }) => traceId === flush.traceId)
        const transaction = own.find(({ parentSpanId }) => parentSpanId === flush.spanId)
        assert.equal(transaction?.name, 'transaction people/intake/flush')
        const statements = own.filter(({ parentSpanId }) => parentSpanId === transaction.spanId)
        assert.ok(
          statements.some(({ name }) => name === 'people/intake/flush-store insertFlush'),
          namesOf(statements),
        )
        for (const { attributes, kind } of statements) {
          assert.equal(kind, 3)
          assert.deepEqual(Object.keys(attributes).toSorted(), ['db.operation.name', 'db.system.name'])
        }

        const keys = spanNamed(collector.spans(), 'GET /admin/keys')
        assert.equal(keys.parentSpanId, '')
        const below = collector.spans().filter(({ parentSpanId }) => parentSpanId === keys.spanId)
        assert.ok(below.length > 0, 'the request to the administration has statements')
      }
      const everything = collector.requests.map(({ body }) => body.toString('latin1')).join()
      assert.doesNotMatch(everything, /somebody-private|example\.com/)
    })

    test('the metrics that are sent are those of /metrics, with the same names, labels and counts', async () => {
      await using collector = await startCollector()
      {
        const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...quickly, OTEL_TRACES_EXPORTER: 'none' }
        await using service = await startService({ database, env })
        for (const id of ['a', 'b', 'c']) await trackOnce(service, id)
        const tracked = () =>
          collector
            .metrics()
            .find(({ name }) => name === 'easel_http_request_seconds')
            ?.points.find(({ attributes }) => attributes.route === '/users/track')
        await eventually('three requests are counted', () => tracked()?.count === 3)
        const { attributes, buckets, bounds, sum } = tracked()!
        assert.deepEqual(attributes, { method: 'POST', route: '/users/track', status: '201' })
        assert.equal(buckets.length, bounds.length + 1)
        assert.equal(
          buckets.reduce((all, count) => all + count, 0),
          3,
        )
        assert.ok(sum > 0)
        const { text } = await service.get('/metrics', { key: null })
        const scraped = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
        for (const { name, kind, isMonotonic, temporality } of collector.metrics()) {
          const type = scraped.get(name)
          assert.equal(kind, type === 'counter' ? 'sum' : type, name)
          if (kind === 'sum') assert.ok(isMonotonic, name)
          if (kind !== 'gauge') assert.equal(temporality, 2, name)
        }
        // A metric without a series has nothing to send.
        const withSeries = [...text.matchAll(/^([a-z]\w*?)(?:_bucket|_sum|_count)?(?:\{.*\})? \S+$/gm)].map(
          ([, name]) => name!,
        )
        const sent = new Set(collector.metrics().map(({ name }) => name))
        const missing = [...scraped.keys()].filter(
          (name) => withSeries.includes(name) && !sent.has(name) && !/NaN/.test(lineOf(text, name)),
        )
        assert.deepEqual(missing, [])
        assert.equal(collector.spans().length, 0)
      }
    })
  })
}

function lineOf(text: string, name: string): string {
  return text.split('\n').find((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`)) ?? ''
}

function spanNamed(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  return spans.find((span) => span.name === name) ?? assert.fail(`${name} is not among ${namesOf(spans)}`)
}

function namesOf(spans: readonly ReceivedSpan[]): string {
  return spans.map(({ name }) => name).join(', ')
}

test('a mail is recorded from the claim to the mail server, and rounds that found nothing are not sent', async () => {
  await using collector = await startCollector()
  const mail = await startMailServer()
  {
    await using service = await startService({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...quickly, SMTP_URL: mail.url },
      workspace: { apps: Object.values(apps) },
    })
    await trackOnce(service, 'p1')
    const sent = await service.post(
      '/messages/send',
      letter({ external_user_ids: ['p1'], recipient_subscription_state: 'all' }),
    )
    assert.equal(sent.status, 201, sent.text)
    await eventually('the mail is recorded', () => collector.spans().some(({ name }) => name === 'smtp.send'))
    await eventually('its claim is recorded', () =>
      collector.spans().some(({ name, attributes }) => name === 'delivery.claim' && attributes['easel.messages'] === 1),
    )
    const spans = collector.spans()
    const smtp = spanNamed(spans, 'smtp.send')
    assert.deepEqual([smtp.kind, smtp.status, smtp.attributes['server.address']], [3, 0, '127.0.0.1'])
    const round = spans.find(({ spanId }) => spanId === smtp.parentSpanId)
    assert.equal(round?.name, 'delivery.handOver')
  }
  const rounds = collector.spans().filter(({ name, parentSpanId }) => parentSpanId === '' && /^[a-z]+\.\w+$/.test(name))
  // A round of it finds nothing. On a busy machine it may take long, and then it is kept.
  const quick = rounds.filter(({ startMs, endMs, status }) => endMs - startMs < 990 && status === 0)
  assert.ok(!quick.some(({ name }) => name === 'workspace.refresh'), namesOf(quick))
  const ids = new Set(collector.spans().map(({ spanId }) => spanId))
  const orphans = collector.spans().filter(({ parentSpanId }) => parentSpanId !== '' && !ids.has(parentSpanId))
  assert.deepEqual(
    orphans.map(({ name }) => name),
    [],
  )
  await mail.close()
})

/** Opens what a service opens, without the service. */
function opened(env: Readonly<Record<string, string>>, lines: Line[] = []) {
  const config = readConfig(env)
  return openTelemetry(config, signalsOf(config)!, { log: logTo(lines), clock: systemClock(), version: '0' })
}

async function recordMany(telemetry: Telemetry, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await telemetry.root(`root ${i}`, {}, async () => {})
}

test('a round is kept when it says what it did, when it goes on, and when it fails, and not when it found nothing', async () => {
  await using collector = await startCollector()
  const { telemetry, close } = opened({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const inside = (result: boolean) => async () => {
    await activeSpan()!.child('statement', {}, async () => {})
    return result
  }
  await telemetry!.round('idle', inside(false))
  await telemetry!.round('goes on', inside(true))
  await telemetry!.round('did something', async () => {
    await inside(false)()
    noteWork({ 'easel.items': 3 })
    return false
  })
  await assert.rejects(
    telemetry!.round('failed', async () => {
      await inside(false)()
      throw new TypeError('a text that nobody may read')
    }),
    TypeError,
  )
  assert.equal(activeSpan(), undefined)
  await close()
  const names = collector.spans().map(({ name, parentSpanId }) => (parentSpanId === '' ? name : '-'))
  assert.deepEqual(names, ['-', 'goes on', '-', 'did something', '-', 'failed'])
  const failed = spanNamed(collector.spans(), 'failed')
  assert.deepEqual([failed.status, failed.attributes['error.type']], [2, 'TypeError'])
  assert.doesNotMatch(collector.requests.map(({ body }) => body.toString('latin1')).join(), /nobody may read/)
})

for (const [count, sent] of [
  [19, 19],
  [20, 20],
  [21, 20],
] as const) {
  test(`of ${count} spans ${sent} are sent when 10 are on their way and 10 may wait`, async () => {
    await using collector = await startCollector()
    collector.answerWith(0)
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: never,
      OTEL_BSP_MAX_QUEUE_SIZE: '10',
    }
    const { telemetry, close } = opened(env)
    await recordMany(telemetry!, count)
    await eventually('ten are on their way', () => collector.requests.length === 1)
    collector.answerWith(200)
    collector.release()
    await close()
    assert.equal(collector.spans().length, sent)
  })
}

test('a collector that is away stops nobody, and the log says once that it is and once that it is back', async () => {
  const away = await startCollector()
  await away.close()
  const lines: Line[] = []
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: away.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '50',
    OTEL_METRICS_EXPORTER: 'none',
    ...quickly,
  }
  await using service = await startService({ env, log: logTo(lines) })
  const about = () => lines.filter(({ server, level }) => server === away.url && level === 40)
  for (let i = 0; about().length === 0; i++) await trackOnce(service, `p${i}`)
  for (let i = 0; i < 3; i++) await trackOnce(service, `q${i}`)
  assert.match(
    String(about()[0]!.msg),
    /^the collector http:\S+ does not take traces, which are dropped: ECONNREFUSED$/,
  )
  await using back = await startCollector(away.port)
  await eventually('spans arrive', async () => {
    await trackOnce(service, 'r')
    return back.spans().length > 0
  })
  const after = () => lines.filter(({ server, level }) => server === away.url && level === 30)
  await eventually('the log says so', () => after().length > 0)
  assert.equal(about().length, 1)
  assert.equal(after().length, 1)
})

test('a refusal of the collector is logged with its status, and what it refuses is not sent again', async () => {
  await using collector = await startCollector()
  collector.answerWith(401)
  const lines: Line[] = []
  const { telemetry, close } = opened(
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic dXNlcjpwYXNz==,x-tenant=a%20b',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=c',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    },
    lines,
  )
  await recordMany(telemetry!, 3)
  await close()
  assert.deepEqual(
    collector.requests.map(({ path, headers }) => [path, headers.authorization, headers['x-tenant']]),
    [['/own/path', 'Basic dXNlcjpwYXNz==', 'c']],
  )
  assert.deepEqual(
    lines.map(({ cause }) => cause),
    ['it answered 401'],
  )
})

test('a collector that does not answer does not keep a service from its end', async () => {
  await using collector = await startCollector()
  collector.answerWith(0)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: never, ...quickly }
  {
    await using service = await startService({ env: { ...env, OTEL_METRIC_EXPORT_TIMEOUT: never } })
    await trackOnce(service, 'p')
    await eventually('both are on their way', () => new Set(collector.requests.map(({ path }) => path)).size === 2)
  }
})

test('the sampler decides, and the caller where it is asked', async () => {
  await using collector = await startCollector()
  const recorded = async (sampler: string, flags: string, arg = '1') => {
    const { telemetry, close } = opened({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: arg,
    })
    const before = collector.spans().length
    const headers = flags === '' ? {} : { traceparent: traceparent.replace(/01$/, flags) }
    await telemetry!.root('request', { headers }, (span) => span.child('statement', {}, async () => {}))
    await close()
    return collector.spans().length - before
  }
  assert.equal(await recorded('parentbased_always_on', ''), 2)
  assert.equal(await recorded('parentbased_always_on', '01'), 2)
  assert.equal(await recorded('parentbased_always_on', '00'), 0)
  assert.equal(await recorded('always_on', '00'), 2)
  assert.equal(await recorded('always_off', '01'), 0)
  assert.equal(await recorded('parentbased_traceidratio', '01', '0'), 2)
  assert.equal(await recorded('traceidratio', '01', '0'), 0)
})

test('only a receiver that asked for a request by the API gets the trace', async () => {
  await using collector = await startCollector()
  const receiver = await serve((_, response) => response.writeHead(204).end())
  const fetcher = fetcherOf(`127.0.0.1:${receiver.port}`)
  const own = { headers: { 'x-own': '1' } }
  for (const [propagators, expected] of [
    ['tracecontext', true],
    ['none', false],
  ] as const) {
    const { telemetry, close } = opened({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_PROPAGATORS: propagators,
    })
    const from = receiver.seen.length
    await telemetry!.root('round', {}, async (span) => {
      await fetcher.fetch(`${receiver.url}/webhook?key=secret`, own)
      await fetcher.fetch(`${receiver.url}/callback`, { ...own, sendsTrace: true })
      const [webhook, callback] = receiver.seen.slice(from)
      assert.equal(webhook?.headers.traceparent, undefined)
      const given = String(callback?.headers.traceparent ?? '')
      assert.equal(given.startsWith(`00-${span.traceId}-`), expected, given)
      assert.equal(callback?.headers['x-own'], '1')
    })
    await close()
  }
  const fetches = collector.spans().filter(({ name }) => name === 'GET 127.0.0.1')
  assert.equal(fetches.length, 4)
  assert.equal(fetches[0]!.attributes['http.response.status_code'], 204)
  assert.doesNotMatch(collector.requests.map(({ body }) => body.toString('latin1')).join(), /secret/)
  await fetcher.close()
  await receiver.close()
})

test('without a collector nothing is recorded, and no package of OpenTelemetry is loaded', async () => {
  await using service = await startService()
  await trackOnce(service, 'p')
  assert.equal(activeTelemetry(), undefined)
  const root = join(import.meta.dirname, '../..')
  const importers = globSync('{src,cli,client/src}/**/*.ts', { cwd: root }).filter((path) => {
    const code = readFileSync(join(root, path), 'utf8')
    const loaded = [...code.matchAll(/^import (?!type )[^']*'([^']+)'/gm)].map(([, from]) => from!)
    return loaded.some((from) => /^@opentelemetry\/|\/otel\//.test(from)) && !path.startsWith('src/base/otel/')
  })
  assert.deepEqual(importers, [])
  for (const env of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' },
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'none',
    },
  ]) {
    assert.equal(signalsOf(readConfig(env)), undefined)
  }
})
