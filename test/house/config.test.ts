import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { generate } from '../../scripts/generate.ts'
import { factsOf } from '../../src/banner.ts'
import { ConfigError, readConfig, variables } from '../../src/base/config.ts'

const root = join(import.meta.dirname, '../..')
const documented = [
  'HOST',
  'PORT',
  'EASEL_DATA',
  'DATABASE_URL',
  'EASEL_API_KEY',
  'EASEL_ADMIN_TOKEN',
  'EASEL_SCIM_TOKEN',
  'EASEL_SECRET',
  'EASEL_SECRET_FILE',
  'EASEL_METRICS_TOKEN',
  'EASEL_TRUSTED_PROXIES',
  'EASEL_REQUEST_ORIGIN',
  'EASEL_DAILY_BACKUPS',
  'EASEL_AUDIT_RETENTION',
  'EASEL_WORKSPACE',
  'EASEL_SERVICE_NAME',
  'EASEL_BATCH_MAX',
  'EASEL_BATCH_MAX_PER_ARRAY',
  'SMTP_URL',
  'SMTP_CONNECTIONS',
  'SMS_URL',
  'WEB_PUSH_CONTACT',
  'WEB_PUSH_PRIVATE_KEY',
  'FCM_SERVICE_ACCOUNT_FILE',
  'FCM_URL',
  'PUBLIC_URL',
  'BOUNCE_SMTP_PORT',
  'BOUNCE_DOMAIN',
  'EASEL_MAIL_FROM',
  'EASEL_OIDC_ISSUER',
  'EASEL_OIDC_CLIENT_ID',
  'EASEL_OIDC_CLIENT_SECRET',
  'EASEL_OIDC_EMAIL_VERIFIED',
  'EASEL_CLOCK',
  'EASEL_FETCH_ALLOW',
  'EASEL_DNS_SERVERS',
  'EASEL_ROLE',
  'EASEL_LOG',
  'NODE_ENV',
  'OTEL_SDK_DISABLED',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_KEY',
  'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_PROPAGATORS',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_METRIC_EXPORT_INTERVAL',
  'OTEL_METRIC_EXPORT_TIMEOUT',
]

test('an empty environment gives the documented defaults', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    dataDir: './data',
    databaseUrl: undefined,
    dnsServers: undefined,
    apiKey: undefined,
    auditRetention: 'P2Y',
    dailyBackups: 0,
    adminToken: undefined,
    metricsToken: undefined,
    scimToken: undefined,
    rootSecrets: undefined,
    rootSecretFile: undefined,
    trustedProxies: [],
    requestOrigin: 'http://127.0.0.1:8080',
    workspaceFile: undefined,
    serviceName: 'service',
    batchMax: 50,
    batchMaxPerArray: undefined,
    smtpUrl: undefined,
    smtpConnections: 20,
    smsUrl: undefined,
    webPushContact: undefined,
    webPushPrivateKey: undefined,
    fcmServiceAccount: undefined,
    fcmUrl: undefined,
    publicUrl: 'http://127.0.0.1:8080',
    bounceSmtpPort: undefined,
    bounceDomain: undefined,
    mailFrom: 'Easel <easel@127.0.0.1>',
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcEmailVerified: 'required',
    clock: 'system',
    fetchAllow: [],
    role: 'all',
    logLevel: 'info',
    environment: 'development',
    otelDisabled: 'false',
    otelEndpoint: undefined,
    otelTracesEndpoint: undefined,
    otelMetricsEndpoint: undefined,
    otelHeaders: undefined,
    otelTracesHeaders: undefined,
    otelMetricsHeaders: undefined,
    otelProtocol: 'http/protobuf',
    otelTimeoutMs: 10_000,
    otelCompression: 'none',
    otelCertificate: undefined,
    otelClientKey: undefined,
    otelClientCertificate: undefined,
    otelServiceName: undefined,
    otelResourceAttributes: undefined,
    otelTracesExporter: 'otlp',
    otelMetricsExporter: 'otlp',
    otelSampler: 'parentbased_always_on',
    otelSamplerArg: 1,
    otelPropagators: 'tracecontext,baggage',
    otelSpanDelayMs: 5_000,
    otelSpanQueueMax: 2_048,
    otelSpanBatchMax: 512,
    otelMetricIntervalMs: 60_000,
    otelMetricTimeoutMs: 30_000,
  })
})

test('the table has every documented name once', () => {
  assert.deepEqual(
    Object.values(variables).map(({ name }) => name),
    documented,
  )
})

test('an empty value counts as absent, and spaces around a value are removed', () => {
  assert.deepEqual(readConfig(Object.fromEntries(documented.map((name) => [name, ' ']))), readConfig({}))
  assert.equal(readConfig({ PORT: ' 81 ' }).port, 81)
})

test('the configuration cannot be changed', () => {
  assert.ok(Object.isFrozen(readConfig({})))
})

const accepted: readonly [name: string, given: string, key: keyof ReturnType<typeof readConfig>, value: unknown][] = [
  ['HOST', '::1', 'publicUrl', 'http://[::1]:8080'],
  ['PORT', '0', 'port', 0],
  ['DATABASE_URL', 'postgresql://u:p@h:1/d?sslmode=require', 'databaseUrl', 'postgresql://u:p@h:1/d?sslmode=require'],
  ['EASEL_REQUEST_ORIGIN', 'https://a.example/', 'requestOrigin', 'https://a.example'],
  ['PUBLIC_URL', 'https://a.example/easel/', 'publicUrl', 'https://a.example/easel'],
  ['EASEL_WORKSPACE', 'a/b.yaml', 'workspaceFile', 'a/b.yaml'],
  ['EASEL_BATCH_MAX_PER_ARRAY', '75', 'batchMaxPerArray', 75],
  ['BOUNCE_SMTP_PORT', '0', 'bounceSmtpPort', 0],
  ['BOUNCE_DOMAIN', 'Bounce.Example.COM', 'bounceDomain', 'bounce.example.com'],
  [
    'EASEL_FETCH_ALLOW',
    '10.0.0.0/8, fd00::/8 files.local',
    'fetchAllow',
    [{ target: '10.0.0.0/8' }, { target: 'fd00::/8' }, { target: 'files.local' }],
  ],
  [
    'EASEL_FETCH_ALLOW',
    '10.0.0.0/8:8080,[fd00::1]:81 *.files.local:3000',
    'fetchAllow',
    [
      { target: '10.0.0.0/8', port: 8080 },
      { target: 'fd00::1', port: 81 },
      { target: '*.files.local', port: 3000 },
    ],
  ],
  ['EASEL_DNS_SERVERS', '192.0.2.53, [::1]:5353', 'dnsServers', ['192.0.2.53', '[::1]:5353']],
  ['EASEL_SECRET', ` ${'a'.repeat(32)}, ${'b'.repeat(256)}`, 'rootSecrets', ['a'.repeat(32), 'b'.repeat(256)]],
  ['EASEL_SECRET_FILE', '/run/secrets/easel', 'rootSecretFile', '/run/secrets/easel'],
  ['EASEL_TRUSTED_PROXIES', '10.0.0.0/8, ::1', 'trustedProxies', ['10.0.0.0/8', '::1']],
  ['EASEL_AUDIT_RETENTION', 'P90D', 'auditRetention', 'P90D'],
  ['EASEL_DAILY_BACKUPS', '366', 'dailyBackups', 366],
  ['EASEL_CLOCK', 'virtual', 'clock', 'virtual'],
  ['EASEL_DATA', 'memory', 'dataDir', 'memory'],
  ['OTEL_SDK_DISABLED', 'TRUE', 'otelDisabled', 'true'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b%2Cc,d=e==', 'otelHeaders', new Map(Object.entries({ a: 'b,c', d: 'e==' }))],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a.b=c%20d', 'otelResourceAttributes', new Map([['a.b', 'c d']])],
  ['OTEL_TRACES_SAMPLER_ARG', '0.25', 'otelSamplerArg', 0.25],
  ['OTEL_TRACES_SAMPLER_ARG', '0', 'otelSamplerArg', 0],
  ['OTEL_PROPAGATORS', 'none', 'otelPropagators', 'none'],
]
for (const [name, given, key, value] of accepted) {
  test(`${name}=${given} is accepted`, () => assert.deepEqual(readConfig({ [name]: given })[key], value))
}

test('returned mail goes to the host of PUBLIC_URL where it is received, unless BOUNCE_DOMAIN names another', () => {
  const env = { PUBLIC_URL: 'https://easel.example:8443/x', BOUNCE_SMTP_PORT: '0' }
  assert.equal(readConfig(env).bounceDomain, 'easel.example')
  assert.equal(readConfig({ ...env, BOUNCE_DOMAIN: 'bounce.example' }).bounceDomain, 'bounce.example')
  assert.equal(readConfig({ PUBLIC_URL: env.PUBLIC_URL }).bounceDomain, undefined)
})

const refused: readonly [name: string, given: string][] = [
  ['HOST', 'http://a'],
  ['PORT', '65536'],
  ['PORT', '80a'],
  ['PORT', '-1'],
  ['EASEL_REQUEST_ORIGIN', 'https://a.example/path'],
  ['EASEL_DAILY_BACKUPS', '367'],
  ['EASEL_DAILY_BACKUPS', '-1'],
  ['EASEL_AUDIT_RETENTION', 'P0D'],
  ['EASEL_AUDIT_RETENTION', 'PT5H'],
  ['EASEL_AUDIT_RETENTION', 'P'],
  ['EASEL_WORKSPACE', 'workspace.toml'],
  ['EASEL_SERVICE_NAME', 'external'],
  ['EASEL_SERVICE_NAME', 'two words'],
  ['EASEL_BATCH_MAX', '0'],
  ['PUBLIC_URL', 'ftp://a'],
  ['EASEL_CLOCK', 'fast'],
  ['EASEL_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['EASEL_TRUSTED_PROXIES', 'proxy.local'],
  ['EASEL_FETCH_ALLOW', '10.0.0.0/33'],
  ['EASEL_FETCH_ALLOW', 'files.local:0'],
  ['EASEL_FETCH_ALLOW', 'http://files.local'],
  ['EASEL_DNS_SERVERS', 'dns.example'],
  ['EASEL_DNS_SERVERS', '192.0.2.53:0'],
  ['EASEL_ROLE', 'workers'],
  ['EASEL_LOG', 'loud'],
  ['OTEL_SDK_DISABLED', 'yes'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:password@collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '3600001'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'production'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
  ['OTEL_TRACES_EXPORTER', 'jaeger'],
  ['OTEL_METRICS_EXPORTER', 'prometheus'],
  ['OTEL_TRACES_SAMPLER', 'ratio'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.01'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ['OTEL_PROPAGATORS', 'b3'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '65537'],
]
for (const [name, given] of refused) {
  test(`${name}=${given} stops the start with one line: the name, the given value, the accepted values`, () => {
    const { message } = complaintAbout({ [name]: given })
    const variable = Object.values(variables).find((one) => one.name === name)!
    assert.equal(message, `${name}: "${given}" was given, accepted is ${variable.accepts}`)
  })
}

test('a token has 32 to 256 characters', () => {
  for (const name of ['EASEL_API_KEY', 'EASEL_ADMIN_TOKEN', 'EASEL_SCIM_TOKEN']) {
    for (const length of [32, 33, 255, 256]) assert.doesNotThrow(() => readConfig({ [name]: 'x'.repeat(length) }))
    for (const length of [1, 31, 257]) {
      const { message } = complaintAbout({ [name]: 'x'.repeat(length) })
      const accepts = 'accepted is 32 to 256 visible characters without spaces'
      assert.equal(message, `${name}: a value of ${length} characters (not shown) was given, ${accepts}`)
    }
  }
})

test('root secrets are at most 10, of 32 to 256 characters', () => {
  const of = (count: number, length: number) => Array.from({ length: count }, () => 'x'.repeat(length)).join(',')
  for (const [count, length] of [
    [1, 32],
    [9, 256],
    [10, 32],
  ] as const) {
    assert.equal(readConfig({ EASEL_SECRET: of(count, length) }).rootSecrets?.length, count)
  }
  for (const [count, length] of [
    [1, 31],
    [1, 257],
    [11, 32],
  ] as const) {
    assert.match(
      complaintAbout({ EASEL_SECRET: of(count, length) }).message,
      /^EASEL_SECRET: a value of \d+ characters \(not shown\)/,
    )
  }
  const both = { EASEL_SECRET: of(1, 32), EASEL_SECRET_FILE: '/run/secrets/easel' }
  assert.match(complaintAbout(both).message, /^EASEL_SECRET_FILE: a value was given, but EASEL_SECRET was too/)
})

test('a refused secret is not repeated', () => {
  const tooLong = 's3cret'.repeat(100)
  for (const name of ['EASEL_API_KEY', 'EASEL_ADMIN_TOKEN', 'EASEL_SCIM_TOKEN']) {
    assert.match(
      complaintAbout({ [name]: tooLong }).message,
      /^EASEL_\w+: a value of 600 characters \(not shown\) was given/,
    )
  }
  const { message } = complaintAbout({ DATABASE_URL: 'mysql://user:s3cret@host/db' })
  assert.match(message, /^DATABASE_URL: mysql:\/\/\(rest not shown\) was given, accepted is postgres:/)
  assert.doesNotMatch(complaintAbout({ SMTP_URL: 'user:s3cret@host' }).message, /s3cret/)
})

test('an unknown setting is refused, so that a spelling mistake is noticed', () => {
  assert.match(
    complaintAbout({ EASEL_BATCHMAX: '3' }).message,
    /^EASEL_BATCHMAX: there is no such setting, accepted are .*EASEL_BATCH_MAX,/,
  )
  assert.doesNotThrow(() =>
    readConfig({ EASEL_TEST_LONG: '1', EASEL_SERVICE_HOST: '10.0.0.1', EASEL_PORT_8080_TCP_ADDR: 'x' }),
  )
})

test('several processes need a database server and a clock that is not virtual', () => {
  const databaseUrl = 'postgres://h/d'
  assert.match(complaintAbout({ EASEL_ROLE: 'worker' }).message, /more than one process needs DATABASE_URL/)
  assert.match(
    complaintAbout({ EASEL_ROLE: 'http', DATABASE_URL: databaseUrl, EASEL_CLOCK: 'virtual' }).message,
    /single process/,
  )
  assert.equal(readConfig({ EASEL_ROLE: 'http', DATABASE_URL: databaseUrl }).role, 'http')
})

test('headers and attributes are at most 128, and a refused header is not repeated', () => {
  const of = (count: number) => Array.from({ length: count }, (_, i) => `a${i}=s3cret`).join(',')
  for (const count of [127, 128])
    assert.equal(readConfig({ OTEL_EXPORTER_OTLP_HEADERS: of(count) }).otelHeaders?.size, count)
  const { message } = complaintAbout({ OTEL_EXPORTER_OTLP_HEADERS: of(129) })
  assert.match(
    message,
    /^OTEL_EXPORTER_OTLP_HEADERS: a value of \d+ characters \(not shown\) was given, accepted is name=value/,
  )
  assert.doesNotMatch(complaintAbout({ OTEL_EXPORTER_OTLP_HEADERS: 'Bearer s3cret' }).message, /s3cret/)
})

test('a client certificate of the collector needs its key, and other names of OpenTelemetry are left alone', () => {
  assert.match(
    complaintAbout({ OTEL_EXPORTER_OTLP_CLIENT_KEY: 'a.pem' }).message,
    /^OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: no value was given, but OTEL_EXPORTER_OTLP_CLIENT_KEY was/,
  )
  assert.doesNotThrow(() => readConfig({ OTEL_LOGS_EXPORTER: 'console', OTEL_PYTHON_LOG_LEVEL: 'debug' }))
})

test('every error text of the configuration is one line', () => {
  for (const [name] of refused) assert.doesNotMatch(complaintAbout({ [name]: '/\n/' }).message, /\n/)
})

test('the generated files are up to date', async () => {
  for (const [path, text] of Object.entries(await generate())) {
    assert.equal(readFileSync(join(root, path), 'utf8'), text, `${path}: run npm run generate and keep the result`)
  }
})

test('the pinned version of Node is the one that prepare.mjs requires', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const pinned = Object.entries<string>(optionalDependencies).filter(([name]) => name.startsWith('node-'))
  const [, major] = /const nodeMajor = (\d+)/.exec(readFileSync(join(root, 'scripts/prepare.mjs'), 'utf8'))!
  assert.deepEqual([...new Set(pinned.map(([, version]) => version.split('.')[0]))], [major])
})

function complaintAbout(env: NodeJS.ProcessEnv): ConfigError {
  try {
    readConfig(env)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error
  }
  return assert.fail(`accepted: ${JSON.stringify(env)}`)
}

test('a service with the name of a product accepts 75 updates in each array, unless a limit is given, and the start says so', () => {
  const limit = (env: NodeJS.ProcessEnv) => {
    const config = readConfig(env)
    return [config.batchMaxPerArray, factsOf(config, []).find(({ name }) => name === 'Batch limit')?.text]
  }
  const named = { EASEL_SERVICE_NAME: 'acme' }
  assert.deepEqual(limit({}), [undefined, undefined])
  assert.deepEqual(limit({ EASEL_SERVICE_NAME: 'service' }), [undefined, undefined])
  assert.deepEqual(limit(named), [75, '75 updates in each array of a request to /users/track'])
  assert.deepEqual(limit({ ...named, EASEL_BATCH_MAX: '50' }), [undefined, '50 updates in a request to /users/track'])
  const perArray = { ...named, EASEL_BATCH_MAX_PER_ARRAY: '60' }
  assert.deepEqual(limit(perArray), [60, '60 updates in each array of a request to /users/track'])
})
