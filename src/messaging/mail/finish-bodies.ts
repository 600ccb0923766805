import type { Finish, OpenFinish } from '../../content/rendering/finishing.ts'
import { assembleBodies, type EmailTexts } from './assemble-bodies.ts'
import { DecoratedBodies } from './decorated-bodies.ts'
import { type BodyLinks, type BodyOptions, encodeBodies } from './encode-bodies.ts'
import { loadMailLibraries } from './mail-libraries.ts'

/** What all mails of a content have in common. */
export type SharedOfMails = Pick<BodyOptions, 'inlineCss' | 'publicUrl'> & {
  /** The bodies without Liquid. */
  readonly constants: EmailTexts
}

/** `n` names the message to the service. */
export type OwnOfMail = Pick<BodyOptions, 'tracking'> & { readonly n: number }

/** Asks for the links of messages, with this number of tracking links each. The answer is a list of `BodyLinks`. */
export type LinksQuestion = { readonly messages: readonly number[]; readonly count: number }

/** The most tracking links that are made in one turn of the service. */
const linksAtOnce = 1_000
/** Characters of decorated bodies that a rendering process keeps. */
const cachedCharactersMax = 2_000_000

/** The cache of this process. */
const decoratedBodies = new DecoratedBodies(cachedCharactersMax)

/** Encodes bodies of mails in a process that renders. The service has the secret for links, so it is asked for them. */
export const openFinish: OpenFinish = async (shared, own, ask) => {
  const { constants, inlineCss, publicUrl } = shared as SharedOfMails
  const people = own as readonly OwnOfMail[]
  const libraries = await loadMailLibraries()
  const links = new LinksOfPage(
    people.map(({ n }) => n),
    ask,
  )
  const finish: Finish = async (person, texts) => {
    const bodies = assembleBodies({ ...constants, ...texts })
    if ('message' in bodies) return { value: bodies, bytes: 0 }
    const options = { tracking: people[person]!.tracking, inlineCss, publicUrl }
    const encoded = await encodeBodies(
      bodies,
      options,
      (count) => links.find(person, count),
      decoratedBodies,
      libraries,
    )
    return { value: encoded, bytes: 'content' in encoded ? encoded.content.length : 0 }
  }
  return finish
}

/** Finds the links of the messages of a page. Asks for those of the next messages too, for more of them each time. */
class LinksOfPage {
  readonly #messages: readonly number[]
  readonly #ask: (question: LinksQuestion) => Promise<unknown>
  readonly #known = new Map<number, BodyLinks>()
  #atOnce = 1

  constructor(messages: readonly number[], ask: (question: LinksQuestion) => Promise<unknown>) {
    this.#messages = messages
    this.#ask = ask
  }

  async find(person: number, count: number): Promise<BodyLinks> {
    const known = this.#known.get(person)
    this.#known.delete(person)
    if (known && known.tracked.length >= count) return known
    const next = Math.min(this.#atOnce, Math.ceil(linksAtOnce / (count + 1)))
    this.#atOnce *= 2
    const messages = this.#messages.slice(person, person + next)
    const answers = (await this.#ask({ messages, count })) as readonly BodyLinks[]
    for (const [i, links] of answers.entries()) if (i > 0) this.#known.set(person + i, links)
    return answers[0]!
  }
}
