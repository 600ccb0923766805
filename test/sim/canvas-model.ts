import type { Act, CanvasGiven, ListenedEvent, PersonGiven, StepGiven } from './canvas-programs.ts'

type Person = {
  readonly id: string
  readonly zone: string
  plan: string
  readonly hasEmail: boolean
  tags: Record<string, string>
}
type State = 'active' | 'paused' | 'stopped'
type Canvas = { given: CanvasGiven; state: State }
type Properties = { readonly cart: number; readonly n: number }

/** A person in a canvas, with the version that was current at the entry. */
type Journey = {
  readonly person: Person
  readonly given: CanvasGiven
  readonly event: Properties | undefined
  readonly visits: Map<string, number>
  /** What happens at `dueMs`: a step runs, or the person only continues from one. */
  step: string
  runs: boolean
  dueMs: number
  end: string | undefined
}

const visitsMax = 100
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/**
 * A model of canvases that processes one person after the other and one step after the other, on a clock that goes
 * from one due moment to the next. It has no states, tables or workers.
 */
export class CanvasModel {
  nowMs: number
  readonly #people: Map<string, Person>
  readonly #canvases: Map<string, Canvas>
  readonly #journeys: Journey[] = []
  readonly #entered = new Map<string, number>()
  /** The mails that people got as `when subject`, and the webhook calls. */
  readonly mails = new Map<string, string[]>()
  readonly calls: string[] = []

  constructor(nowMs: number, canvases: readonly CanvasGiven[], people: readonly PersonGiven[]) {
    this.nowMs = nowMs
    this.#people = new Map(people.map(({ time_zone, ...each }) => [each.id, { ...each, zone: time_zone, tags: {} }]))
    this.#canvases = new Map(canvases.map((given) => [given.id, { given, state: 'active' }]))
  }

  /** Returns whether an action is possible in the present state of the canvases. */
  allows(act: Act): boolean {
    if (!('canvas' in act)) return true
    const { state } = this.#canvases.get(typeof act.canvas === 'string' ? act.canvas : act.canvas.id)!
    if (act.kind === 'resume') return state === 'paused'
    return act.kind === 'trigger' ? state !== 'stopped' : state === 'active'
  }

  act(act: Act): void {
    if (act.kind === 'pass') this.#pass(this.nowMs + act.seconds * 1000)
    else if (act.kind === 'trigger')
      for (const id of act.people) this.#enter(this.#canvases.get(act.canvas)!, this.#people.get(id)!)
    else if (act.kind === 'event') this.#happen(this.#people.get(act.person)!, act.name, act.properties)
    else if (act.kind === 'plan') this.#change(this.#people.get(act.person)!, act.plan)
    else if (act.kind === 'publish') this.#canvases.get(act.canvas.id)!.given = act.canvas
    else this.#turn(this.#canvases.get(act.canvas)!, act.kind)
    this.#pass(this.nowMs + 1000)
  }

  /** Returns how many people entered each canvas and how that ended: `canvas end count`. */
  get ends(): string[] {
    const counts = new Map<string, number>()
    for (const { given, end = 'open' } of this.#journeys) {
      counts.set(`${given.id} ${end}`, (counts.get(`${given.id} ${end}`) ?? 0) + 1)
    }
    return [...counts].map(([key, count]) => `${key} ${count}`).sort()
  }

  tagsOf(id: string): Record<string, string> {
    return this.#people.get(id)!.tags
  }

  #pass(untilMs: number): void {
    for (;;) {
      const due = this.#journeys.filter((journey) => journey.dueMs <= untilMs && this.#isRunning(journey))
      const [next] = due.sort((a, b) => a.dueMs - b.dueMs)
      if (!next) break
      this.nowMs = Math.max(this.nowMs, next.dueMs)
      this.#play(next)
    }
    this.nowMs = untilMs
  }

  #isRunning({ end, given }: Journey): boolean {
    return end === undefined && this.#canvases.get(given.id)!.state === 'active'
  }

  #turn(canvas: Canvas, kind: 'pause' | 'resume' | 'stop'): void {
    canvas.state = kind === 'pause' ? 'paused' : kind === 'resume' ? 'active' : 'stopped'
    if (kind !== 'stop') return
    for (const journey of this.#open()) if (journey.given.id === canvas.given.id) journey.end = 'cancelled'
  }

  #open(): Journey[] {
    return this.#journeys.filter(({ end }) => end === undefined)
  }

  #enter({ given, state }: Canvas, person: Person, event?: Properties): void {
    const { again } = given.entry
    const key = `${given.id} ${person.id}`
    const last = this.#entered.get(key)
    if (state !== 'active' || (given.segment && !isIn(given.segment, person))) return
    if (
      last !== undefined &&
      again !== 'always' &&
      (again === 'never' || this.nowMs - last < secondsOf(again.after) * 1000)
    )
      return
    this.#entered.set(key, this.nowMs)
    const rest = { step: '', runs: true, dueMs: this.nowMs, end: undefined }
    const journey: Journey = { person, given, event, visits: new Map(), ...rest }
    this.#journeys.push(journey)
    this.#go(journey, given.first, this.nowMs)
    this.#playAll(journey)
  }

  #happen(person: Person, name: string, properties: Properties): void {
    for (const journey of this.#open().filter((each) => each.person === person)) {
      const { given, dueMs, runs } = journey
      const step = given.steps.find(({ id }) => id === journey.step)!
      if (given.exit?.events?.[0] === name) journey.end = 'exited'
      else if (!runs && step.type === 'action_paths' && dueMs >= this.nowMs) {
        const path = step.paths.find((listened) => isMatch(listened, name, properties, journey.event))
        if (path) this.#go(journey, path.next, this.nowMs)
      }
      this.#playAll(journey)
    }
    for (const canvas of this.#canvases.values()) {
      const { event } = canvas.given.entry
      if (event && isMatch(event, name, properties, undefined)) this.#enter(canvas, person, properties)
    }
  }

  #change(person: Person, plan: string): void {
    person.plan = plan
    for (const journey of this.#open()) {
      const leaves = journey.given.exit?.audience
      if (journey.person === person && leaves && isIn(leaves, person)) journey.end = 'exited'
    }
  }

  #playAll(journey: Journey): void {
    while (journey.dueMs <= this.nowMs && this.#isRunning(journey)) this.#play(journey)
  }

  #play(journey: Journey): void {
    const { given, person, dueMs } = journey
    const step = given.steps.find(({ id }) => id === journey.step)!
    const leaves = given.exit?.audience
    if (!journey.runs) this.#go(journey, wayOn(step), dueMs)
    else if (leaves && isIn(leaves, person)) journey.end = 'exited'
    else {
      const { waitsMs, to, atMs = dueMs } = this.#run(journey, step)
      if (waitsMs === undefined) this.#go(journey, to, atMs)
      else Object.assign(journey, { runs: false, dueMs: waitsMs })
    }
  }

  #run(
    { person, given, dueMs }: Journey,
    step: StepGiven,
  ): { waitsMs?: number; to?: string | undefined; atMs?: number } {
    switch (step.type) {
      case 'message':
        if (person.hasEmail) this.#mail(person, `${given.id} ${step.id}`)
        return { to: step.next, atMs: this.nowMs }
      case 'webhook':
        this.calls.push(`${given.id}/${step.id}/${person.id}`)
        return { to: step.next, atMs: this.nowMs }
      case 'update_user':
        Object.assign(person.tags, step.attributes)
        return { to: step.next }
      case 'decision':
        return { to: isIn(step.audience, person) ? step.yes : step.no }
      case 'paths': {
        const path = step.paths.find(({ audience }) => isIn(audience, person))
        return { to: path ? path.next : step.otherwise }
      }
      case 'action_paths':
        return { waitsMs: dueMs + secondsOf(step.within) * 1000 }
      case 'delay':
        return { waitsMs: 'for' in step ? dueMs + secondsOf(step.for) * 1000 : nextTime(step, dueMs, person.zone) }
    }
  }

  #mail({ id }: Person, subject: string): void {
    const mails = this.mails.get(id) ?? []
    mails.push(`${new Date(this.nowMs).toISOString()} ${subject}`)
    this.mails.set(id, mails)
  }

  #go(journey: Journey, to: string | undefined, dueMs: number): void {
    const visit = (journey.visits.get(to ?? '') ?? 0) + 1
    if (to === undefined || visit > visitsMax) {
      journey.end = to === undefined ? 'completed' : 'exited'
      return
    }
    journey.visits.set(to, visit)
    journey.step = to
    journey.runs = true
    journey.dueMs = dueMs
  }
}

/** Returns the next step after a wait. */
function wayOn(step: StepGiven): string | undefined {
  if (step.type === 'action_paths') return step.otherwise
  return step.type === 'delay' ? step.next : undefined
}

function isIn(
  { AND: [{ custom_attribute }] }: { AND: readonly [{ custom_attribute: { value: string } }] },
  { plan }: Person,
) {
  return custom_attribute.value === plan
}

function isMatch(
  listened: ListenedEvent,
  name: string,
  properties: Properties,
  first: Properties | undefined,
): boolean {
  const { event, properties: limits, same } = listened
  if (event !== name || (limits && properties.n <= limits.n.value)) return false
  return !same || first?.cart === properties.cart
}

/** Returns the next day on which the clocks of a zone show a time. */
function nextTime(
  { until, weekdays: days }: { until: string; weekdays?: readonly string[] },
  fromMs: number,
  zone: string,
): number {
  let date = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone).toPlainDate().subtract({ days: 2 })
  for (;;) {
    date = date.add({ days: 1 })
    const ms = date.toZonedDateTime({ timeZone: zone, plainTime: until }).epochMilliseconds
    if (ms > fromMs && (!days || days.includes(weekdays[date.dayOfWeek - 1]!))) return ms
  }
}

function secondsOf(duration: string): number {
  return Temporal.Duration.from(duration).total({ unit: 'seconds' })
}
