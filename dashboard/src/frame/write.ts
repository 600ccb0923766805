import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { CallError, retryDelayMs, sentenceIn, triesMax } from '../api/errors.ts'
import type { Operation } from '../api/operation.ts'
import { noteWrite } from './feed.ts'
import { announce } from './toast.tsx'

type WriteOptions<Input, Reply> = {
  readonly request: (input: Input) => Operation<Reply>
  /** The sentence that says what was done. */
  readonly said?: (reply: Reply, input: Input) => string
  /** The request that takes it back. */
  readonly undo?: (reply: Reply, input: Input) => Operation<unknown>
  /** Called after a good answer, before everything is read anew: closes a dialog, or leads on. */
  readonly onDone?: (reply: Reply, input: Input) => void
  /** The path of the thing that the request ends. What is below it is not read anew, although a page still shows it. */
  readonly ends?: string
}

/**
 * A request that changes something. It is sent once, and again only when the server refused it because too many came. After a good answer
 * all that is shown is read anew, because the page never guesses what has changed.
 */
export function useWrite<Input, Reply>({ request, said, undo, onDone, ends }: WriteOptions<Input, Reply>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => call(request(input)),
    retry: (failures, error) => failures < triesMax && error instanceof CallError && error.status === 429,
    retryDelay: retryDelayMs,
    onSuccess: (reply, input) => {
      noteWrite(request(input))
      onDone?.(reply, input)
      const reverse = undo?.(reply, input)
      if (said) announce(said(reply, input), reverse && (() => void takeBack(reverse)))
      return queries.invalidateQueries({
        predicate: ({ queryKey: [path] }) => ends === undefined || !String(path).startsWith(`${ends}/`),
      })
    },
  })

  async function takeBack(operation: Operation<unknown>): Promise<void> {
    try {
      await call(operation)
      announce('Taken back.')
    } catch (error) {
      announce(sentenceIn(error))
    }
    await queries.invalidateQueries()
  }
}
