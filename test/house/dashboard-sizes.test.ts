import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardLimits } from '../../bench/dashboard.ts'
import { builtSizes } from '../support/dashboard-sizes.ts'

test('scripts, styles and fonts of the dashboard are within their budgets', async () => {
  for (const [what, size] of Object.entries(await builtSizes())) {
    const limit = dashboardLimits[`dashboard, ${what}`]!
    assert.ok(size > 0 && size <= limit, `${what}: ${size.toFixed(1)} kB of ${limit}`)
  }
})
