import assert from 'node:assert/strict'
import test from 'node:test'
import { startCollector } from '../servers/collector.ts'
import { spawnService } from '../support/harness.ts'

test('SIGTERM sends the last spans and metrics, and the lines of the log name the spans', async () => {
  await using collector = await startCollector()
  // Nothing is sent before the end.
  await using service = await spawnService({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'engage',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%2C1,service.name=hidden',
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_METRIC_EXPORT_INTERVAL: '3600000',
    },
  })
  const { status } = await service.post('/users/track', { attributes: [{ external_id: 'p' }] })
  assert.equal(status, 201)
  assert.equal(collector.spans().length, 0)
  await service.stop()
  const request = collector.spans().find(({ name }) => name === 'POST /users/track')
  assert.ok(request)
  assert.equal(request.resource['service.name'], 'engage')
  assert.equal(request.resource['deployment.environment.name'], 'test,1')
  const counted = collector.metrics().find(({ name }) => name === 'easel_http_request_seconds')
  const point = counted?.points.find(({ attributes }) => attributes.route === '/users/track')
  assert.equal(point?.count, 1)
  const lines = service.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  const line = lines.find(({ route }) => route === '/users/track')
  assert.deepEqual([line?.trace_id, line?.span_id], [request.traceId, request.spanId])
  const started = lines.find(({ msg }) => /is running at/.test(msg))
  assert.equal(started?.trace_id, undefined)
})
