/** A request as a server got it, without the headers of its connection. */
export type KeptRequest = {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** What the process of the bound sends: these requests again and again, over so many connections. */
export type RequestCommand = {
  origin: string
  connections: number
  requests: readonly KeptRequest[]
  count: number
}

export type RequestReply = { seconds: number; cpuUs: number }
