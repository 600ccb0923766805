import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { Compile } from 'typebox/schema'
import { stringify } from 'yaml'
import easel from '../../package.json' with { type: 'json' }
import { readConfig, variables } from '../../src/base/config.ts'
import {
  chartFolder,
  chartInfo,
  chartSchema,
  chartTemplates,
  chartValues,
  type Manifest,
  manifestsIn,
  renderChart,
  type Values,
} from '../support/chart.ts'
import { lastImage } from '../support/dockerfile.ts'
import { GoTemplates } from '../support/go-template.ts'

const token = 'f'.repeat(64)
const databaseUrl = 'postgres://easel:pw@db.example.com/easel'
const secrets = { adminToken: token, databaseUrl }
const everySecret = {
  ...{ ...secrets, apiKey: token, scimToken: token, rootSecret: token, metricsToken: token },
  ...{
    smtpUrl: 'smtps://user:pw@mail.example.com',
    smsUrl: 'https://AC1:pw@sms.example.com',
    webPushPrivateKey: Buffer.alloc(32, 7).toString('base64url'),
    oidcClientSecret: 'secret',
    otlpHeaders: 'authorization=secret',
  },
}
const oidc = { EASEL_OIDC_ISSUER: 'https://idp.example.com', EASEL_OIDC_CLIENT_ID: 'easel' }

/** Values that use every part of the chart. */
const uses: Readonly<Record<string, Values>> = {
  few: { secrets },
  embedded: { database: 'embedded', secrets: { adminToken: token } },
  all: {
    image: { digest: `sha256:${'0'.repeat(64)}`, pullSecrets: ['registry'] },
    secrets: everySecret,
    publicUrl: 'https://engage.example.com',
    settings: { ...oidc, EASEL_LOG: 'warn', BOUNCE_SMTP_PORT: '2525', WEB_PUSH_CONTACT: 'https://engage.example.com' },
    http: { autoscaling: { enabled: true } },
    data: { shared: true, storageClass: 'nfs' },
    ingress: {
      ...{ enabled: true, className: 'nginx', host: 'engage.example.com', tlsSecret: 'engage-tls' },
      annotations: { 'example.com/size': '50m' },
    },
    serviceAccount: { name: 'engage', annotations: { 'example.com/role': 'mail' } },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'engage', operator: 'Exists' }],
    affinity: { podAntiAffinity: {} },
  },
  own: {
    secrets: { existing: 'vault' },
    data: { shared: true, existingClaim: 'nfs-claim' },
    ingress: { enabled: true, host: 'a.example.com' },
    serviceAccount: { create: false },
    podDisruptionBudget: { enabled: false },
  },
}

const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((each) => each.kind === kind)
const containerOf = (deployment: Manifest) => deployment.spec.template.spec.containers[0]
const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the variables that a process of a deployment gets from the objects beside it. */
function environmentOf(deployment: Manifest, manifests: readonly Manifest[]): Record<string, string> {
  const container = containerOf(deployment)
  const [settings] = ofKind(manifests, 'ConfigMap')
  const [secret] = ofKind(manifests, 'Secret')
  assert.equal(container.envFrom[0].configMapRef.name, settings!.metadata.name)
  if (secret) assert.equal(container.envFrom[1].secretRef.name, secret.metadata.name)
  const own = container.env.map(({ name, value }: { name: string; value: string }) => [name, value])
  return { ...settings!.data, ...secret?.stringData, ...Object.fromEntries(own) }
}

test('the chart has the version of Easel', () => {
  assert.deepEqual([chartInfo.apiVersion, chartInfo.name], ['v2', 'easel'])
  assert.deepEqual([chartInfo.version, chartInfo.appVersion], [easel.version, easel.version])
})

test('every value that a template reads is in values.yaml, and the other way round', () => {
  const paths = (values: Values, above = ''): string[] =>
    Object.entries(values).flatMap(([name, value]) =>
      isMap(value) && Object.keys(value).length > 0 ? paths(value, `${above}${name}.`) : [`${above}${name}`],
    )
  const read = [...chartTemplates.values()].flatMap((template) => template.match(/(?<=\.Values\.)[\w.]+/g) ?? [])
  const isPartOf = (a: string, b: string) => a === b || b.startsWith(`${a}.`)
  const known = paths(chartValues)
  assert.deepEqual(
    read.filter((path) => !known.some((each) => isPartOf(path, each))),
    [],
  )
  assert.deepEqual(
    known.filter((path) => !read.some((each) => isPartOf(each, path))),
    [],
  )
})

test('the schema has every value, and refuses names and texts that Easel would', () => {
  const schema = Compile(chartSchema)
  const accepts = (values: Values) => schema.Check(values)
  for (const values of [chartValues, ...Object.values(uses)]) assert.ok(accepts(values), JSON.stringify(values))
  const described = (values: Values, part: { properties: Values }): void => {
    assert.deepEqual(
      Object.keys(values).filter((name) => !(name in part.properties)),
      [],
    )
    for (const [name, value] of Object.entries(values)) {
      const below = part.properties[name] as { properties?: Values }
      if (isMap(value) && below.properties && name !== 'settings') described(value, below as { properties: Values })
    }
  }
  described(chartValues, chartSchema)
  const wrong: Values[] = [
    { databases: 'postgres' },
    { database: 'mysql' },
    { settings: { EASEL_LOGS: 'warn' } },
    { settings: { EASEL_BATCH_MAX: 75 } },
    { secrets: { adminToken: 'short' } },
    { secrets: { databaseUrl: 'mysql://db' } },
    { http: { replicas: 0 } },
    { image: { digest: 'latest' } },
    { data: { size: '10' } },
    { publicUrl: 'engage.example.com' },
  ]
  for (const values of wrong) assert.equal(accepts(values), false, JSON.stringify(values))
})

test('the settings of the schema are all settings of Easel but for secrets and what the chart sets', () => {
  const byChart = ['HOST', 'PORT', 'EASEL_DATA', 'PUBLIC_URL', 'EASEL_ROLE', 'NODE_ENV']
  // Files that are not in the image, and a clock that needs a single process.
  const without = ['EASEL_WORKSPACE', 'EASEL_SECRET_FILE', 'FCM_SERVICE_ACCOUNT_FILE', 'EASEL_CLOCK']
  const wanted = Object.values(variables)
    .filter((variable) => !('secret' in variable))
    .map(({ name }) => name as string)
    .filter((name) => !byChart.includes(name) && !without.includes(name))
  assert.deepEqual(Object.keys(chartSchema.properties.settings.properties).sort(), wanted.sort())
})

for (const [name, values] of Object.entries(uses)) {
  test(`the objects of the chart fit together, and Easel accepts their variables (${name})`, () => {
    const { manifests } = renderChart(values)
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    assert.deepEqual(names, [...new Set(names)])
    for (const { apiVersion, metadata } of manifests) {
      assert.ok(apiVersion)
      assert.equal(metadata.labels['app.kubernetes.io/instance'], 'shop')
    }
    const deployments = ofKind(manifests, 'Deployment')
    for (const deployment of deployments) checkDeployment(deployment, manifests)
    const [service] = ofKind(manifests, 'Service')
    const labels = deployments.map(({ spec }) => spec.template.metadata.labels)
    const selected = labels.filter((each) =>
      Object.entries(service!.spec.selector).every(([label, value]) => each[label] === value),
    )
    assert.equal(selected.length, 1, 'the service leads to the processes that answer')
    assert.equal(service!.spec.ports[0].targetPort, 'http')
    for (const { spec } of ofKind(manifests, 'Ingress')) {
      const { service: target } = spec.rules[0].http.paths[0].backend
      assert.deepEqual([target.name, target.port.name], [service!.metadata.name, service!.spec.ports[0].name])
    }
    for (const { spec } of ofKind(manifests, 'HorizontalPodAutoscaler')) {
      const scaled = deployments.find(({ metadata }) => metadata.name === spec.scaleTargetRef.name)
      // An autoscaler and a number of replicas would undo each other.
      assert.equal(scaled!.spec.replicas, undefined)
    }
  })
}

function checkDeployment(deployment: Manifest, manifests: readonly Manifest[]): void {
  const { spec } = deployment
  const { spec: pod, metadata } = spec.template
  for (const [label, value] of Object.entries(spec.selector.matchLabels)) assert.equal(metadata.labels[label], value)
  const env = environmentOf(deployment, manifests)
  const hasSecret = ofKind(manifests, 'Secret').length > 0
  const config = readConfig(hasSecret ? env : { ...env, DATABASE_URL: databaseUrl })
  const container = containerOf(deployment)
  const image = lastImage()
  assert.equal(container.ports[0].containerPort, config.port)
  assert.equal(String(config.port), image.find(({ name }) => name === 'EXPOSE')!.text)
  assert.equal(config.host, '0.0.0.0')
  for (const [probe, path] of Object.entries({ startup: 'health', liveness: 'health', readiness: 'ready' })) {
    const { httpGet } = container[`${probe}Probe`]
    assert.deepEqual(httpGet, { path: `/${path}`, port: container.ports[0].name })
  }
  const mounts = container.volumeMounts.map(({ name }: { name: string }) => name)
  assert.deepEqual(
    mounts,
    pod.volumes.map(({ name }: { name: string }) => name),
  )
  assert.equal(container.volumeMounts[0].mountPath, config.dataDir)
  assert.equal(config.dataDir, image.find(({ name }) => name === 'VOLUME')!.text)
  assert.equal(String(pod.securityContext.runAsUser), image.find(({ name }) => name === 'USER')!.text)
  const claim = pod.volumes[0].persistentVolumeClaim?.claimName
  const claims = ofKind(manifests, 'PersistentVolumeClaim').map(({ metadata: { name } }) => name)
  if (claim !== undefined) assert.ok(claims.includes(claim) || claim === 'nfs-claim', claim)
  const accounts = ofKind(manifests, 'ServiceAccount').map(({ metadata: { name } }) => name)
  assert.ok([...accounts, 'default'].includes(pod.serviceAccountName))
}

test('the embedded database has one process, which ends before another one starts, and keeps its volume', () => {
  const { manifests, notes } = renderChart(uses.embedded!)
  const deployments = ofKind(manifests, 'Deployment')
  assert.equal(deployments.length, 1)
  const [{ spec }] = deployments as [Manifest]
  assert.deepEqual([spec.replicas, spec.strategy.type], [1, 'Recreate'])
  assert.equal(environmentOf(deployments[0]!, manifests).DATABASE_URL, undefined)
  const [claim] = ofKind(manifests, 'PersistentVolumeClaim')
  assert.deepEqual(claim!.spec.accessModes, ['ReadWriteOnce'])
  assert.equal(claim!.metadata.annotations['helm.sh/resource-policy'], 'keep')
  assert.deepEqual(ofKind(manifests, 'HorizontalPodAutoscaler'), [])
  assert.match(notes, /cannot be scaled/)
})

test('with PostgreSQL there are processes that answer and processes that work, in the numbers of the values', () => {
  const { manifests, notes } = renderChart({ secrets, http: { replicas: 3 }, worker: { replicas: 2 } })
  const roles = ofKind(manifests, 'Deployment').map((each) => [
    environmentOf(each, manifests).EASEL_ROLE,
    each.spec.replicas,
  ])
  assert.deepEqual(roles, [
    ['http', 3],
    ['worker', 2],
  ])
  assert.match(notes, /^3 processes answer requests, 2 do background work\.\nExports to files do not work/m)
  const [budget] = ofKind(manifests, 'PodDisruptionBudget')
  assert.equal(budget!.spec.selector.matchLabels['app.kubernetes.io/component'], 'http')
})

test('a chart without what it needs says which value to give', () => {
  assert.throws(() => renderChart({}), /secrets\.adminToken: give 32 characters/)
  assert.throws(() => renderChart({ secrets: { adminToken: token } }), /secrets\.databaseUrl: give postgres:/)
  assert.throws(() => renderChart({ secrets, ingress: { enabled: true } }), /ingress\.host: give the name/)
})

test('a template that is not balanced, or reads what is not there, is a mistake', () => {
  const render = (template: string) => new GoTemplates({}).render('wrong.yaml', template, { Values: { a: 'b' } })
  assert.equal(render('{{ if .Values.a }}{{ .Values.a }}{{ end }}'), 'b')
  for (const wrong of ['{{ if .Values.a }}', '{{ end }}', '{{ .Values.c }}', '{{ upper .Values.a }}', '{{ .Values.a'])
    assert.throws(() => render(wrong), wrong)
})

const hasHelm = spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0
const skip = hasHelm ? false : 'helm is not installed; Debian and npm do not have it'
test('helm renders the same objects', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-chart-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, values] of Object.entries(uses)) {
    const path = join(folder, `${name}.yaml`)
    writeFileSync(path, stringify(values))
    const args = ['template', 'shop', chartFolder, '--namespace', 'engage', '--values', path]
    const rendered = spawnSync('helm', args, { encoding: 'utf8' })
    assert.equal(rendered.status, 0, rendered.stderr)
    const ids = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`
    const sorted = (manifests: Manifest[]) => manifests.toSorted((a, b) => ids(a).localeCompare(ids(b)))
    assert.deepEqual(sorted(manifestsIn(name, rendered.stdout)), sorted([...renderChart(values).manifests]))
  }
})
