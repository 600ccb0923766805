import assert from 'node:assert/strict'
import test from 'node:test'
import { startCollector } from '../servers/collector.ts'
import { channelsWorkspace, channelTransports } from '../support/channel-transports.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/harness.ts'
import { startSmsProvider } from '../support/sms-provider.ts'

test('a text message is recorded as a request to the host of the provider', async () => {
  await using collector = await startCollector()
  const provider = await startSmsProvider()
  {
    await using service = await startService({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50', SMS_URL: provider.url },
      workspace: channelsWorkspace,
    })
    const { reachable, content } = channelTransports.find(({ name }) => name === 'sms')!
    const attributes = [{ external_id: 'p1', ...reachable().attributes }]
    assert.equal((await service.post('/users/track', { attributes })).status, 201)
    const order = { external_user_ids: ['p1'], messages: { sms: content }, recipient_subscription_state: 'all' }
    assert.equal((await service.post('/messages/send', order)).status, 201)
    await eventually('the text is recorded', () => collector.spans().some(({ name }) => name === 'POST 127.0.0.1'))
    const span = collector.spans().find(({ name }) => name === 'POST 127.0.0.1')!
    assert.deepEqual([span.kind, span.status, span.attributes['http.response.status_code']], [3, 0, 201])
    await eventually('its round is recorded', () =>
      collector.spans().some(({ spanId, name }) => spanId === span.parentSpanId && name === 'delivery.handOver'),
    )
  }
  const told = JSON.stringify(collector.spans())
  assert.doesNotMatch(told, /2010-04-01|4915113|AC0000/)
  await provider.close()
})
