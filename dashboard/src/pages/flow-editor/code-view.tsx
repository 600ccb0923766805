import { useState } from 'react'
import type { Definition } from '../../canvas/edit/ways.ts'
import type { Draft } from '../../draft/use-draft.ts'
import { announce } from '../../frame/toast.tsx'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy.tsx'
import { Select } from '../../ui/field.tsx'
import { TextArea } from '../../ui/form.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import styles from './flow-editor.module.css'

type Format = 'yaml' | 'json'

type CodeViewProps = { edits: Draft<Definition>; name: string; readOnly: string | undefined }

/** A definition as text: to copy, to store as a file, to write, and to paste. YAML is that of the workspace file. */
export function CodeView({ edits, name, readOnly }: CodeViewProps) {
  const [format, setFormat] = useState<Format>('json')
  const [typed, setTyped] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [written, setWritten] = useState<{ readonly of: Definition; readonly text: string }>()
  const { document } = edits
  const json = JSON.stringify(document, null, 2)
  if (format === 'yaml' && written?.of !== document) {
    void import('../../draft/yaml-text.ts').then(({ writeYaml }) =>
      setWritten({ of: document, text: writeYaml(document) }),
    )
  }
  const text = typed ?? (format === 'json' ? json : (written?.text ?? ''))
  const take = async () => {
    const read = await readText(format, text)
    if ('problem' in read) return setProblem(read.problem)
    setProblem(undefined)
    setTyped(undefined)
    edits.change(() => read.document)
    announce('The definition was taken over. Ctrl Z brings the old one back.')
  }
  const choose = (next: string) => {
    setFormat(next as Format)
    setTyped(undefined)
    setProblem(undefined)
  }
  return (
    <section className={styles.code} aria-label="Definition as text">
      <div className={styles.buttons}>
        <Select label="Format" shown value={format} options={formats} onChange={choose} />
        <Button
          onClick={() => void copyText(text).then((done) => announce(done ? 'Copied.' : 'It could not be copied.'))}
        >
          Copy
        </Button>
        <Button onClick={() => download(`${fileName(name)}.${format}`, text)}>Save as a file</Button>
        <Button
          look="main"
          disabledReason={readOnly ?? (typed === undefined ? 'Paste or change the text first.' : undefined)}
          onClick={() => void take()}
        >
          Take this text
        </Button>
        {typed !== undefined && <Button onClick={() => choose(format)}>Drop it</Button>}
      </div>
      <TextArea
        label={format === 'json' ? 'The definition as JSON' : 'The definition as YAML'}
        hint="One canvas or campaign, as it stands in the list of the workspace file. Paste another one here, then take it."
        mono
        rows={28}
        readOnly={readOnly !== undefined}
        value={text}
        problem={problem}
        onChange={(next) => {
          setTyped(next)
          setProblem(undefined)
        }}
      />
    </section>
  )
}

const formats = [
  { value: 'json', label: 'JSON' },
  { value: 'yaml', label: 'YAML' },
] as const

type Read = { readonly document: Definition } | { readonly problem: string }

async function readText(format: Format, text: string): Promise<Read> {
  let value: unknown
  if (format === 'json') {
    try {
      value = parseExactly(text)
    } catch (error) {
      return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}.` }
    }
  } else {
    const { readYaml } = await import('../../draft/yaml-text.ts')
    const read = readYaml(text)
    if ('mistake' in read) return { problem: `This is not YAML. Line ${read.mistake.line}: ${read.mistake.message}` }
    value = read.value
  }
  // One entry of a list, as it is copied out of a workspace file.
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (typeof one !== 'object' || one === null || Array.isArray(one)) {
    return { problem: 'This must be one object: a canvas or a campaign with its members.' }
  }
  return { document: one as Definition }
}

function fileName(name: string): string {
  return name.trim().replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'flow'
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
