import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawingOf } from '../../dashboard/src/canvas/edit/drawing.ts'
import { starters } from '../../dashboard/src/pages/canvas-editor/starters.ts'
import { definitionContext } from '../../src/messaging/flows/definition-context.ts'
import { describeGraph } from '../../src/messaging/flows/describe-steps.ts'
import { readCanvas } from '../../src/messaging/flows/read-definition.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'
import { good } from './flows-given.ts'

const lists: Readonly<Record<string, readonly { id: string; name: string }[]>> = {
  apps: [{ id: 'web', name: 'Web' }],
  segments: [{ id: 'gold-id', name: 'Gold' }],
  email_templates: [{ id: 'welcome', name: 'Welcome' }],
}
const known = definitionContext(completeSettings({ extras_header: 'X-Extras' }), (name) => lists[name] ?? [])

for (const { name, definition } of starters) {
  test(`the starter "${name}" is a canvas without mistakes`, () => {
    const { name: _, ...given } = definition({ app_id: 'web', from: 'A shop <hello@example.com>' })
    const read = readCanvas({ id: 'new', ...given }, known)
    assert.ok('graph' in read, JSON.stringify(read))
  })
}

test('the editor draws a canvas as the server does', () => {
  const own = starters.map(({ definition }) => definition({ app_id: 'web', from: 'A shop <hello@example.com>' }))
  for (const given of [...good.map(([, each]) => each as Record<string, unknown>), ...own]) {
    const { name: _, ...rest } = given
    const read = readCanvas({ id: 'c', ...rest } as never, known)
    assert.ok('graph' in read, JSON.stringify(read))
    const said = describeGraph(read.graph, {})
    const drawn = drawingOf(given, { entry: said.sentence, steps: {}, outline: said })
    const ways = ({ steps }: typeof said | typeof drawn) =>
      steps.map(({ id, name, kind, paths }) => {
        return { id, name, kind, paths: paths.map((path) => ({ name: path.name, next: path.next })) }
      })
    assert.deepEqual(ways(drawn), ways(said))
    assert.deepEqual(
      drawn.starts.map(({ next }) => next),
      said.starts.map(({ next }) => next),
    )
  }
})
