import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { type PlainFile, pack } from '../../src/audience/exports/archive.ts'
import { linkTo, objectName, readLink } from '../../src/audience/exports/link.ts'
import { type LinePage, toFiles } from '../../src/audience/exports/person-lines.ts'
import { readSegmentExport } from '../../src/audience/exports/read-request.ts'
import { Failure } from '../../src/base/errors.ts'
import { pauseAfter } from '../../src/base/fetch/post-callback.ts'
import { type Item, many } from '../support/people.ts'

const id = 'e739ed46-9cd7-4142-b70f-843b89c5ac80-1592424870'
const secret = randomBytes(32)
const atMs = Date.UTC(2026, 7, 1)

async function* given<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces))
}

/** Unpacks the files of a zip. Each file is read to its end before the next one. */
async function unpacked(format: 'zip' | 'gzip', files: AsyncIterable<PlainFile>): Promise<string[]> {
  const bytes = await bytesOf(pack(format, files, atMs))
  if (format === 'gzip') return [gunzipSync(bytes).toString()]
  return Object.values(unzipSync(bytes)).map((file) => Buffer.from(file).toString())
}

function linkParts(url: string) {
  const { pathname, searchParams } = new URL(url)
  return {
    object: pathname.split('/').at(-1),
    expires: searchParams.get('expires') ?? undefined,
    signature: searchParams.get('signature') ?? undefined,
  }
}

test('A link is valid until the second in which it expires, and for its own installation only.', () => {
  for (const format of ['zip', 'gzip'] as const) {
    const parts = linkParts(linkTo('http://127.0.0.1:8080', objectName(id, format), atMs + 999, secret))
    assert.equal(readLink(parts, atMs - 1, secret), id)
    const expired = new Failure('forbidden', 'This link has expired')
    for (const nowMs of [atMs, atMs + 1]) assert.throws(() => readLink(parts, nowMs, secret), expired)
    assert.throws(() => readLink(parts, atMs - 1, randomBytes(32)), new Failure('forbidden', 'This link is not valid'))
  }
})

test('A signed link is valid for exports only.', () => {
  for (const object of ['../../etc/passwd', '.', '', `${id}.zip/../x`, `${id}.tar`, `${id}.zip\n`, `x${id}.zip`]) {
    const { searchParams } = new URL(linkTo('http://localhost', encodeURIComponent(object), atMs, secret))
    const signed = linkTo('http://localhost', object, atMs, secret)
    const signature = new URLSearchParams(signed.slice(signed.lastIndexOf('?'))).get('signature') ?? undefined
    const parts = { object, expires: searchParams.get('expires') ?? undefined, signature }
    assert.throws(() => readLink(parts, 0, secret), new Failure('forbidden', 'This link is not valid'), object)
  }
})

test('A callback is tried five times, with longer and longer pauses.', () => {
  const pauses = many(6, (i) => pauseAfter(i + 1))
  assert.deepEqual(pauses, [1_000, 10_000, 60_000, 600_000, undefined, undefined])
})

/** Returns pages of these sizes. The reader of an export ends a page where a file ends. */
function pages(...counts: number[]): AsyncGenerator<LinePage> {
  return given(counts.map((count) => ({ count, lines: Buffer.from('{}\n'.repeat(count)), ids: [] })))
}

test('A file has at most 5,000 people, and an export without people has one empty file.', async () => {
  const sizes = async (...counts: number[]) => {
    const tally = { files: 0, people: 0 }
    const files = await unpacked('zip', toFiles(pages(...counts), 'x', tally))
    assert.deepEqual(tally, { files: files.length, people: counts.reduce((sum, count) => sum + count, 0) })
    return files.map((text) => text.split('\n').length - 1)
  }
  assert.deepEqual(await sizes(), [0])
  assert.deepEqual(await sizes(2_500, 2_499), [4_999])
  assert.deepEqual(await sizes(2_500, 2_500), [5_000])
  assert.deepEqual(await sizes(2_500, 2_500, 1), [5_000, 1])
  assert.deepEqual(await sizes(...many(41, () => 250)), [5_000, 5_000, 250])
  const names = await Array.fromAsync(toFiles(pages(), 'x', { files: 0, people: 0 }), ({ name }) => name)
  assert.deepEqual(names, ['x-0001.json'])
})

const plain: readonly string[] = ['', 'one\n', `${'a'.repeat(300_000)}\n${'ö😀'.repeat(10_000)}\n`]
const asFiles = () =>
  given(
    plain.map((text, i) => ({
      name: `f-${i}.json`,
      lines: given(text.match(/.{1,9999}/gsu)?.map((piece) => Buffer.from(piece)) ?? []),
    })),
  )

test('A zip unpacks to the same bytes.', async () => {
  assert.deepEqual(await unpacked('zip', asFiles()), plain)
  assert.deepEqual(await unpacked('gzip', asFiles()), [plain.join('')])
})

test('Other programs can read a zip.', async (t) => {
  if (spawnSync('unzip', ['-v']).status !== 0) return t.skip('unzip is not here')
  const folder = mkdtempSync(join(tmpdir(), 'easel-zip-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'x.zip'), await bytesOf(pack('zip', asFiles(), atMs)))
  const { status, stdout } = spawnSync('unzip', ['-t', join(folder, 'x.zip')])
  assert.equal(status, 0, stdout.toString())
  assert.match(stdout.toString(), /No errors/)
})

test('A zip and its files never exceed the sizes that the format can express.', async () => {
  const zipOf = (text: Buffer, bytesMax?: number) =>
    bytesOf(
      pack('zip', given([{ name: 'f', lines: given([text.subarray(0, 100), text.subarray(100)]) }]), atMs, bytesMax),
    )
  for (const size of [9_999, 10_000]) await zipOf(Buffer.alloc(size, 'a'), 10_000)
  const tooLarge = /The export is larger than 4 GiB/
  await assert.rejects(zipOf(Buffer.alloc(10_001, 'a'), 10_000), tooLarge)
  const random = randomBytes(10_000)
  const { length } = await zipOf(random)
  for (const bytesMax of [length + 1, length]) assert.equal((await zipOf(random, bytesMax)).length, length)
  await assert.rejects(zipOf(random, length - 1), tooLarge)
  const gzipOf = (bytesMax?: number) =>
    bytesOf(pack('gzip', given([{ name: 'f', lines: given([random]) }]), atMs, bytesMax))
  const gzipped = (await gzipOf()).length
  for (const bytesMax of [gzipped + 1, gzipped]) assert.equal((await gzipOf(bytesMax)).length, gzipped)
  await assert.rejects(gzipOf(gzipped - 1), tooLarge)
})

test('An error while people are read ends the packing, and so does a reader that stops reading.', async () => {
  const state = { ended: false }
  async function* endless(fails: boolean): AsyncGenerator<LinePage> {
    try {
      for (let i = 0; ; i++) {
        if (fails && i === 3) throw new Error('the database is unavailable')
        yield { count: 1, lines: randomBytes(100_000), ids: [] }
      }
    } finally {
      state.ended = true
    }
  }
  for (const format of ['zip', 'gzip'] as const) {
    const failing = pack(format, toFiles(endless(true), 'x', { files: 0, people: 0 }), atMs)
    await assert.rejects(bytesOf(failing), new Error('the database is unavailable'))
    state.ended = false
    for await (const piece of pack(format, toFiles(endless(false), 'x', { files: 0, people: 0 }), atMs)) {
      if (piece.length > 1_000) break
    }
    await new Promise((resume) => setTimeout(resume, 50))
    assert.ok(state.ended, 'the source is closed')
  }
})

test('The limits of a request include their last value.', () => {
  const read = (more: Item) =>
    readSegmentExport({ segment_id: 's', fields_to_export: ['email'], ...more }, 'service', false)
  const attributes = (count: number) => ({ custom_attributes_to_export: many(count, (i) => `a${i}`) })
  for (const count of [499, 500]) assert.equal(read(attributes(count)).custom_attributes.length, count)
  assert.throws(() => read(attributes(501)), /at most 500 custom attributes/)
  const endpoint = (length: number) => ({ callback_endpoint: 'https://example.com/'.padEnd(length, 'x') })
  for (const length of [2_047, 2_048]) assert.equal(read(endpoint(length)).callback_endpoint!.length, length)
  assert.throws(() => read(endpoint(2_049)), /at most 2048 characters/)
  const names = ['x'.repeat(254), 'x'.repeat(255), 'x'.repeat(256)]
  assert.deepEqual(read({ custom_attributes_to_export: names }).custom_attributes, names.slice(0, 2))
  for (const length of [254, 255]) assert.equal(read({ segment_id: 's'.repeat(length) }).segment_id!.length, length)
  assert.throws(() => read({ segment_id: 's'.repeat(256) }), /segment_id must be/)
})

test('A request without fields exports all of them where the workspace allows it, and unknown fields are refused.', () => {
  assert.throws(() => readSegmentExport({ segment_id: 's' }, 'service', false), /'fields_to_export' is required/)
  assert.ok(readSegmentExport({ segment_id: 's' }, 'service', true).fields.includes('service_id'))
  const fieldsOf = (fields_to_export: unknown[]) => {
    return readSegmentExport({ segment_id: 's', fields_to_export }, 'acme', false).fields
  }
  assert.deepEqual(fieldsOf(['acme_id', 'email', 'email']), ['service_id', 'email'])
  assert.throws(() => fieldsOf(['email', 'emial']), /email/)
  assert.throws(() => fieldsOf(['email', 7]), /'fields_to_export' is required/)
})
