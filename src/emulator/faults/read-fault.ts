import { invalid } from '../../base/errors.ts'
import { refuseOtherShapes } from '../requests/check-body.ts'
import { FaultBody, type FaultKind } from './schema.ts'

/** Members that only some kinds have. */
const membersOf: Readonly<Record<FaultKind, readonly (keyof FaultBody)[]>> = {
  rate_limit: ['retry_after_s'],
  status: ['status', 'message'],
  slow: ['delay_ms'],
  cut: ['effect'],
  partial: ['items'],
  refuse_mail: ['to', 'code', 'enhanced', 'message'],
}
const required: Readonly<Partial<Record<FaultKind, keyof FaultBody>>> = {
  slow: 'delay_ms',
  cut: 'effect',
  partial: 'items',
}
const requestMembers: readonly (keyof FaultBody)[] = ['method', 'path', 'body']
const commonMembers: readonly (keyof FaultBody)[] = ['kind', 'times', 'workspace']

/** Reads a fault. Throws 400 that names the member. Pure. */
export function readFault(body: unknown): FaultBody {
  refuseOtherShapes(FaultBody, body, 'a fault')
  const { kind } = body
  const allowed = [...commonMembers, ...membersOf[kind], ...(kind === 'refuse_mail' ? [] : requestMembers)]
  const foreign = Object.keys(body).find((name) => !allowed.includes(name as keyof FaultBody))
  if (foreign !== undefined) throw invalid(`'${foreign}' is not a member of the kind ${kind}`)
  const missing = required[kind]
  if (missing !== undefined && body[missing] === undefined)
    throw invalid(`'${missing}' is required for the kind ${kind}`)
  if (body.enhanced !== undefined && !body.enhanced.startsWith(String(body.code ?? 550)[0]!)) {
    throw invalid("'enhanced' must begin with the first digit of 'code'")
  }
  return body
}
