// @ts-check
// Reads people from a CSV file and tracks them in batches. The first row names the attributes; external_id is one of them.
// Run: EASEL_API_KEY=... npx --silent node examples/nightly-import.mjs examples/people.csv
import { readFileSync } from 'node:fs'
import { Easel, EaselError } from '../client/src/client.ts'

const batchMax = 50
const easel = new Easel({
  url: process.env.EASEL_URL ?? 'http://127.0.0.1:8080',
  key: process.env.EASEL_API_KEY,
  attemptsMax: 10,
  onRepeat({ status, pauseMs }) {
    const what = status === undefined ? 'gave no answer' : `answered ${status}`
    console.log(`Easel ${what}: next try in ${pauseMs / 1000} s`)
  },
})

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

/** @param {import('../client/src/client.ts').Attribute[]} attributes */
async function track(attributes) {
  try {
    // Setting the same attributes again changes nothing, so a batch whose answer was lost may be sent again.
    return await easel.postUsersTrack({ attributes }, { repeat: true })
  } catch (error) {
    // Every object of the batch was refused, each with its own error.
    if (error instanceof EaselError && error.status === 400) {
      const refusal = /** @type {import('../client/src/client.ts').TrackError} */ (error.body)
      if ((refusal.errors ?? []).length > 0) return { errors: refusal.errors, attributes_processed: 0 }
    }
    throw error
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
  const { errors = [], attributes_processed = 0 } = await track(attributes)
  for (const { index, type } of errors) console.log(`line ${from + index + 2}: ${type}`)
  imported += attributes_processed
}
console.log(`${imported} of ${lines.length} lines imported`)
process.exitCode = imported === lines.length ? 0 : 1
