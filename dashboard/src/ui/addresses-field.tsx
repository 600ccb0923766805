import { TextArea } from './form.tsx'

type AddressesFieldProps = {
  /** What is used from there, such as `the key`. */
  what: string
  /** As it is typed. `addressesIn` reads it. */
  value: string
  onChange: (text: string) => void
}

/** The IP addresses and networks from which a key or a token may be used. */
export function AddressesField({ what, value, onChange }: AddressesFieldProps) {
  return (
    <TextArea
      label="Addresses"
      hint={`The IP addresses and networks from which ${what} may be used, one a line. Empty: from anywhere.`}
      rows={2}
      mono
      value={value}
      onChange={onChange}
    />
  )
}

/** Returns the addresses in a text, with spaces, commas or lines between them. Pure. */
export function addressesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((address) => address !== '')
}
