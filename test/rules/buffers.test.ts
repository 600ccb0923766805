import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buffersFor } from '../../src/base/db/parameters.ts'

const MIB = 2 ** 20

describe('the size of the buffers of the embedded database', () => {
  for (const [dataBytes, memoryBytes, size] of [
    [0, 64_000 * MIB, '64MB'],
    [64 * MIB - 1, 64_000 * MIB, '64MB'],
    [64 * MIB, 64_000 * MIB, '128MB'],
    [128 * MIB - 1, 64_000 * MIB, '128MB'],
    [128 * MIB, 64_000 * MIB, '256MB'],
    [256 * MIB - 1, 64_000 * MIB, '256MB'],
    [256 * MIB, 64_000 * MIB, '512MB'],
    [512 * MIB - 1, 64_000 * MIB, '512MB'],
    [512 * MIB, 64_000 * MIB, '1024MB'],
    [100_000 * MIB, 8192 * MIB, '1024MB'],
    [100_000 * MIB, 8192 * MIB - 1, '512MB'],
    [100_000 * MIB, 4096 * MIB, '512MB'],
    [100_000 * MIB, 4096 * MIB - 1, '256MB'],
    [100_000 * MIB, 512 * MIB, '64MB'],
  ] as const) {
    test(`${dataBytes} bytes of data, ${memoryBytes} of memory: ${size}`, () =>
      assert.deepEqual(buffersFor(dataBytes, memoryBytes), ['-c', `shared_buffers=${size}`]))
  }
})
