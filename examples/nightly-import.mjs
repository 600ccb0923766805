// @ts-check
// Reads people from a CSV file and tracks them in batches. The first row names the attributes; external_id is one of them.
// Run: EASEL_API_KEY=... node examples/nightly-import.mjs examples/people.csv
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const url = process.env.EASEL_URL ?? 'http://127.0.0.1:8080'
const batchMax = 50
const triesMax = 10

/** One value, in quotes or not, and the comma or end behind it. */
const cell = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/y

/** @param {string} line */
function cellsOf(line) {
  const cells = []
  cell.lastIndex = 0
  for (let match = cell.exec(line); match; match = match[3] ? cell.exec(line) : null) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2])
  }
  return cells
}

/** @param {object} body */
async function track(body) {
  for (let tries = 1; ; tries++) {
    const response = await fetch(`${url}/users/track`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${process.env.EASEL_API_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = /** @type {any} */ (await response.json())
    // 400 too: every object of the batch was refused, each with its own error.
    if (response.ok || answer.errors?.length > 0) return answer
    const isTemporary = response.status === 429 || response.status === 503
    if (!isTemporary || tries === triesMax) throw new Error(`Easel answered ${response.status}: ${answer.message}`)
    const seconds = Number(response.headers.get('Retry-After') ?? 1)
    console.log(`Easel answered ${response.status}: next try in ${seconds} s`)
    await sleep(seconds * 1000)
  }
}

const [head = '', ...lines] = readFileSync(process.argv[2] ?? 'people.csv', 'utf8')
  .trimEnd()
  .split(/\r?\n/)
const names = cellsOf(head)
let imported = 0
for (let from = 0; from < lines.length; from += batchMax) {
  // An empty cell says nothing. To remove an attribute, send null.
  const attributes = lines.slice(from, from + batchMax).map((line) => {
    const cells = cellsOf(line)
    return Object.fromEntries(names.map((name, i) => [name, cells[i]]).filter(([, value]) => value))
  })
  const { errors = [], attributes_processed = 0 } = await track({ attributes })
  for (const { index, type } of errors) console.log(`line ${from + index + 2}: ${type}`)
  imported += attributes_processed
}
console.log(`${imported} of ${lines.length} lines imported`)
process.exitCode = imported === lines.length ? 0 : 1
