import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Sends a command to a child process and returns its next message. Rejects when the process ends. */
export async function askChild<Reply>(child: ChildProcess, command: object, what: string): Promise<Reply> {
  const ended = new AbortController()
  const exited = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`the ${what} process ended with ${code}`)
  })
  const answered = once(child, 'message', { signal: ended.signal })
  child.send(command)
  const [reply] = await Promise.race([answered, exited])
  ended.abort()
  await Promise.allSettled([exited, answered])
  return reply as Reply
}
