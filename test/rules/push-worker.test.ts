import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { runInNewContext } from 'node:vm'
import { webPayloadOf } from '../../src/messaging/channels/push/payload.ts'
import { blocksOf } from '../support/pages.ts'

type OnEvent = (event: object) => void
type Shown = { readonly title: string; readonly options: Readonly<Record<string, unknown>> }

const page = readFileSync(join(import.meta.dirname, '../../docs/push.md'), 'utf8')

/** Runs the service worker of docs/push.md as a browser does. */
function startWorker() {
  const [worker] = blocksOf(page).filter(({ kind }) => kind === 'js')
  const handlers = new Map<string, OnEvent>()
  const shown: Shown[] = []
  const opened: string[] = []
  const self = {
    addEventListener: (name: string, handler: OnEvent) => handlers.set(name, handler),
    registration: {
      showNotification: async (title: string, options: Shown['options']) => shown.push({ title, options }),
    },
    clients: { openWindow: async (url: string) => opened.push(url) },
  }
  runInNewContext(worker!.text, { self })
  const call = (name: string, event: object) => handlers.get(name)!({ waitUntil: () => {}, ...event })
  return { shown, opened, call }
}

test('the service worker of docs/push.md shows a push with all its members, and opens its address', () => {
  const { shown, opened, call } = startWorker()
  const payload = webPayloadOf(
    {
      ...{ alert: 'Text', title: 'Title', custom_uri: 'https://shop.example.com', require_interaction: true },
      ...{ image_url: 'https://a.example/i', large_image_url: 'https://a.example/l', extra: { n: 1 } },
    },
    'tag',
  )
  call('push', { data: { json: () => payload } })
  assert.deepEqual(JSON.parse(JSON.stringify(shown)), [
    {
      title: 'Title',
      options: {
        ...{ body: 'Text', icon: 'https://a.example/i', image: 'https://a.example/l', tag: 'tag' },
        requireInteraction: true,
        data: { url: 'https://shop.example.com', extra: { n: 1 } },
      },
    },
  ])
  let isClosed = false
  const close = () => {
    isClosed = true
  }
  const notification = { close, data: shown[0]!.options.data }
  call('notificationclick', { notification })
  assert.deepEqual([isClosed, opened], [true, ['https://shop.example.com']])
})

test('a push without title and address shows its text as the title, and a click opens nothing', () => {
  const { shown, opened, call } = startWorker()
  call('push', { data: { json: () => webPayloadOf({ alert: 'Text' }, 'tag') } })
  assert.equal(shown[0]!.title, 'Text')
  call('notificationclick', { notification: { close: () => {}, data: shown[0]!.options.data } })
  assert.deepEqual(opened, [])
})
