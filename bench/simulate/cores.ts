import type { Events } from './events.ts'

/** Work that takes longer than this gives its core to others in between, as the kernel does. */
const sliceUs = 1000

type Job = {
  leftUs: number
  readonly sinceUs: number
  readonly totalUs: number
  readonly done: (isDone: boolean) => void
}

/** The cores of a machine, with a queue before them. A job takes one core at a time. */
export class Cores {
  readonly #events: Events
  readonly #count: number
  #queue: Job[] = []
  #running = 0
  #era = 0
  #isAway = false
  busyUs = 0
  waitedUs = 0
  jobs = 0

  constructor(events: Events, count: number) {
    this.#events = events
    this.#count = count
  }

  get isAway(): boolean {
    return this.#isAway
  }

  /** Computes for some microseconds, then calls `done` with true; with false when the machine goes away before. */
  work(us: number, done: (isDone: boolean) => void): void {
    if (this.#isAway) {
      done(false)
      return
    }
    this.#queue.push({ leftUs: us, totalUs: us, sinceUs: this.#events.nowUs, done })
    this.#start()
  }

  /** Takes the machine away: everything that it was doing fails. */
  leave(): void {
    this.#isAway = true
    this.#era++
    this.#running = 0
    const queue = this.#queue
    this.#queue = []
    const working = this.#working
    this.#working = new Set()
    for (const job of [...working, ...queue]) job.done(false)
  }

  comeBack(): void {
    this.#isAway = false
  }

  #working = new Set<Job>()

  #start(): void {
    while (this.#running < this.#count && this.#queue.length > 0) {
      const job = this.#queue.shift()!
      const era = this.#era
      const us = Math.min(job.leftUs, sliceUs)
      this.#running++
      this.#working.add(job)
      this.#events.after(us, () => {
        if (era !== this.#era) return
        this.#running--
        this.#working.delete(job)
        this.busyUs += us
        job.leftUs -= us
        if (job.leftUs > 0) this.#queue.push(job)
        else {
          this.jobs++
          this.waitedUs += this.#events.nowUs - job.sinceUs - job.totalUs
          job.done(true)
        }
        this.#start()
      })
    }
  }
}

/** A thread: does one thing after the other, on the cores of its machine. */
export class Thread {
  readonly #cores: Cores
  readonly #waiting: (() => void)[] = []
  #isBusy = false
  busyUs = 0

  constructor(cores: Cores) {
    this.#cores = cores
  }

  work(us: number, done: () => void): void {
    this.#waiting.push(() => {
      this.#cores.work(us, () => {
        this.busyUs += us
        this.#isBusy = false
        done()
        this.#next()
      })
    })
    this.#next()
  }

  #next(): void {
    if (this.#isBusy || this.#waiting.length === 0) return
    this.#isBusy = true
    this.#waiting.shift()!()
  }
}
