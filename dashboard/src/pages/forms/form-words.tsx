import type { GetAdminSignUpFormsReply } from '../../api/generated.ts'
import { Mark } from '../../ui/mark.tsx'

export type Form = GetAdminSignUpFormsReply['sign_up_forms'][number]

export function FormState({ form: { state } }: { form: Form }) {
  return state === 'paused' ? <Mark family="control">paused</Mark> : <Mark family="sent">active</Mark>
}

export function sentenceOf({ state }: Form): string {
  return state === 'paused'
    ? 'It is paused: its page says that it takes no sign-ups.'
    : 'People sign up here, and are in the group after confirming.'
}
