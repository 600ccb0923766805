import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayRender, type RenderKind, type RenderLane, RenderQueue } from '../../src/content/rendering/render-queue.ts'

const kinds: Readonly<Record<string, RenderKind>> = { t: 'transactional', p: 'preview' }
const lane = (text: string): RenderLane => ({ workspace_id: Number(text[0]), kind: kinds[text.at(-1)!] ?? 'marketing' })
const lanes = (text: string) => (text === '' ? [] : text.split(' ').map(lane))

const shares = { pagesMax: 4, bulkPagesMax: 2, lanePagesMax: { transactional: 1, preview: 1, marketing: 2 } }

/** Lanes are a workspace, with `t` for transactional and `p` for a preview. */
const may: readonly (readonly [wanted: string, running: string, result: boolean])[] = [
  ['1', '', true],
  ['1t', '', true],
  ['1', '1', true],
  ['1', '1 1', false],
  ['2', '1 1', false],
  ['1t', '1 1', true],
  ['1t', '1t', false],
  ['2t', '1t', true],
  ['2t', '1 1 1t', true],
  ['3t', '1 1 1t 2t', false],
  ['1', '1 1t 2t', true],
  ['1p', '1 1t', true],
  ['1p', '1p', false],
  ['2p', '1p', true],
  ['2p', '1p 1', false],
  ['1', '1p 2p', false],
  ['1t', '1p 2p', true],
]

test('a lane has a share of the pages that are rendered at the same time', () => {
  for (const [wanted, running, result] of may)
    assert.equal(mayRender(lane(wanted), lanes(running), shares), result, `${wanted} beside ${running}`)
  assert.equal(mayRender(lane('1'), lanes('1 2'), { ...shares, bulkPagesMax: 3 }), true)
  assert.equal(mayRender(lane('1'), lanes('1 1'), { ...shares, bulkPagesMax: 3 }), false)
})

function queueOf(text: string) {
  const queue = new RenderQueue<{ lane: RenderLane; name: string }>()
  for (const name of text.split(' '))
    queue.add({ lane: lane(name.replace(/[a-z][tp]?$/, (end) => end.slice(1))), name })
  return queue
}

function takeAll(queue: ReturnType<typeof queueOf>, mayRun = (_: { lane: RenderLane }) => true): string {
  const names: string[] = []
  for (let page = queue.take(mayRun); page; page = queue.take(mayRun)) names.push(page.name)
  return names.join(' ')
}

test('transactional pages come first, and workspaces take turns', () => {
  assert.equal(takeAll(queueOf('1a 1b 1c 2a 3a 2b')), '1a 2a 3a 1b 2b 1c')
  assert.equal(takeAll(queueOf('1a 2a 1bt 1ct 2bt')), '1bt 2bt 1ct 1a 2a')
  assert.equal(takeAll(queueOf('1a 1b 1c 1dp 1ep 1ft')), '1ft 1a 1dp 1b 1ep 1c')
  const queue = queueOf('1a 1b 2a')
  assert.equal(queue.take(() => true)!.name, '1a')
  queue.addFirst({ lane: lane('1'), name: '1z' })
  assert.deepEqual([queue.size, queue.sizeOf(lane('1')), queue.sizeOf(lane('1t'))], [3, 2, 0])
  assert.equal(takeAll(queue), '2a 1z 1b')
})

test('a lane that may not run does not delay others, and removed pages are not taken', () => {
  const queue = queueOf('1a 1b 2a 3at')
  assert.equal(
    takeAll(queue, (page) => page.lane.workspace_id !== 1),
    '3at 2a',
  )
  assert.deepEqual(
    queue.remove(({ name }) => name === '1a').map(({ name }) => name),
    ['1a'],
  )
  assert.equal(takeAll(queue), '1b')
})
