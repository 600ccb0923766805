import { once } from 'node:events'
import { createServer } from 'node:net'

/** Returns a port on loopback that nobody listens on now. For programs that cannot say which port they took. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
