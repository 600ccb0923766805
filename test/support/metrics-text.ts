/** One line of an answer of `/metrics`. */
export type Sample = { readonly name: string; readonly labels: Labels; readonly value: number }
export type Labels = Readonly<Record<string, string>>

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const pair = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** Returns the samples of an answer of `/metrics`. */
export function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((each) => {
    const found = line.exec(each)
    if (found === null) return []
    const [, name, labels = '', value] = found
    const pairs = [...labels.matchAll(pair)].map(([, label, quoted]) => [label!, JSON.parse(`"${quoted}"`)] as const)
    return [{ name: name!, labels: Object.fromEntries(pairs), value: numberOf(value!) }]
  })
}

function numberOf(text: string): number {
  return text === 'Nan' || text === 'NaN' ? Number.NaN : Number(text.replace('Inf', 'Infinity'))
}

/** Returns the type of each metric: counter, gauge or histogram. */
export function typesOf(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
}
