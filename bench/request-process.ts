/** The process of the bound of channels that speak HTTP: undici alone, with an agent as the service has it. */
import { performance } from 'node:perf_hooks'
import { Agent, request } from 'undici'
import type { RequestCommand, RequestReply } from './request-protocol.ts'

const agents = new Map<number, Agent>()

function agentOf(connections: number): Agent {
  const known = agents.get(connections)
  if (known) return known
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false, connections })
  agents.set(connections, agent)
  return agent
}

async function send({ origin, connections, requests, count }: RequestCommand): Promise<RequestReply> {
  const dispatcher = agentOf(connections)
  let left = count
  const sendOn = async () => {
    while (left-- > 0) {
      const { method, path, headers, body } = requests[left % requests.length]!
      const answer = await request(origin + path, { dispatcher, method, headers, body })
      await answer.body.text()
      if (answer.statusCode >= 300) throw new Error(`the server answered ${answer.statusCode}`)
    }
  }
  const before = { cpu: process.cpuUsage(), ms: performance.now() }
  await Promise.all(Array.from({ length: connections }, sendOn))
  const { user, system } = process.cpuUsage(before.cpu)
  return { seconds: (performance.now() - before.ms) / 1000, cpuUs: user + system }
}

process.on('message', (command: RequestCommand) => void send(command).then((reply) => process.send!(reply)))
process.once('disconnect', () => process.exit(0))
