import type { MessageToPrepare as AnyMessageToPrepare, PreparedMessage } from '../messages/prepared-message.ts'
import type { EmailObject } from './email-object.ts'
import type { Mail } from './transport.ts'

/** A claimed message that is eligible, with its e-mail object. */
export type MessageToPrepare = AnyMessageToPrepare<EmailObject>

/** A mail that is ready for the hand-over. `domain` is the recipient's in ASCII. */
export type PreparedMail = Mail & PreparedMessage & { readonly domain: string }
