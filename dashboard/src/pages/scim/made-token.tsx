import { SecretDialog } from '../../ui/secret-dialog.tsx'

type MadeTokenProps = { made: { readonly name: string; readonly token: string }; onClose: () => void }

/** The text of a token, this once. */
export function MadeToken({ made, onClose }: MadeTokenProps) {
  return (
    <SecretDialog
      label="The text of the token"
      title={`The token "${made.name}"`}
      sentence="This is the only time that its text is shown. Give it to your identity provider now."
      secret={made.token}
      what="the token"
      onClose={onClose}
    />
  )
}
