import type { AskCaller, Finish, Finished, Finishing, OpenFinish } from './finishing.ts'
import type { RenderJob } from './process-protocol.ts'

/** A defect of Easel while texts were finished. It ends the job, and the service logs it. */
export class FinishDefect extends Error {}

/** Finishes long texts of a job in the process that rendered them. */
export class TextFinisher {
  readonly #job: RenderJob
  readonly #finishing: Finishing
  readonly #ask: AskCaller
  /** The positions of the texts that are taken. */
  readonly #taken: readonly number[]
  #opening: Promise<Finish> | undefined

  constructor(job: RenderJob, finishing: Finishing, ask: AskCaller) {
    this.#job = job
    this.#finishing = finishing
    this.#ask = ask
    this.#taken = [...job.texts.keys()].filter((i) => finishing.takes.includes(job.texts[i]![0]))
  }

  /** Returns whether the texts of a person are long enough. */
  isFor(texts: readonly string[]): boolean {
    return this.#taken.reduce((sum, i) => sum + texts[i]!.length, 0) > this.#finishing.aboveCharacters
  }

  /** Finishes texts of a person. Leaves them empty in `texts`. */
  async finish(person: number, texts: string[]): Promise<Finished> {
    const taken = Object.fromEntries(this.#taken.map((i) => [this.#job.texts[i]![0], texts[i]!]))
    for (const i of this.#taken) texts[i] = ''
    try {
      this.#opening ??= this.#open()
      return await (await this.#opening)(person, taken)
    } catch (error) {
      throw new FinishDefect((error as Error).stack, { cause: error })
    }
  }

  async #open(): Promise<Finish> {
    const { module, shared } = this.#finishing
    const { openFinish } = (await import(module)) as { openFinish: OpenFinish }
    return openFinish(
      shared,
      this.#job.people.map(({ own }) => own),
      this.#ask,
    )
  }
}
