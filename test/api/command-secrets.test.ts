import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { keyIdOf } from '../../src/base/root-secrets.ts'
import { easel, typeEasel } from '../support/command-line.ts'

const [old, next] = ['o'.repeat(32), 'n'.repeat(32)]

test('easel secrets rotate encrypts the secrets of the database under the first root secret', async (t) => {
  const EASEL_DATA = mkdtempSync(join(tmpdir(), 'easel-rotate-'))
  t.after(() => rmSync(EASEL_DATA, { recursive: true, force: true }))
  const rotate = (EASEL_SECRET?: string) => easel(['secrets', 'rotate'], { EASEL_DATA, EASEL_SECRET })

  const first = await typeEasel(['secrets', 'rotate'], { EASEL_DATA, EASEL_SECRET: old })
  assert.deepEqual([first.code, first.out.includes(`key id ${keyIdOf(old)}.`)], [0, true], first.err)

  const alone = await rotate(next)
  assert.equal(alone.code, 2)
  assert.match(alone.err, new RegExp(`^EASEL_SECRET: .* the database needs the secret with the key id ${keyIdOf(old)}`))

  const both = await rotate(`${next},${old}`)
  assert.deepEqual([both.code, both.out.includes(`key id ${keyIdOf(next)}.`)], [0, true], both.err)
  assert.equal((await rotate(old)).code, 2)
  assert.equal((await rotate(next)).code, 0)
  for (const { out, err } of [first, alone, both]) assert.ok(!`${out}${err}`.match(/o{32}|n{32}/))
})

test('easel secrets refuses other words, and needs a root secret', async () => {
  const { code, err } = await easel(['secrets', 'show'], { EASEL_DATA: 'memory', EASEL_SECRET: old })
  assert.deepEqual([code, err.split('\n')[0]], [2, "unknown command 'show'"])
  const without = await easel(['secrets', 'rotate'], { EASEL_DATA: 'memory' })
  assert.equal(without.code, 2)
  assert.equal(without.err.trim(), 'EASEL_SECRET: no value was given, but secrets rotate needs one')
})
