import { Mark } from '../../ui/mark.tsx'

/** The status of an answer. */
export function StatusMark({ status }: { status: number }) {
  return <Mark family={status < 400 ? 'sent' : status < 500 ? 'held' : 'failed'}>{status}</Mark>
}
