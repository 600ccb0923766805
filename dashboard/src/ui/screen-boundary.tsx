import { Component, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Problem } from './states.tsx'

type Props = { readonly what: string; readonly resetKey: string; readonly children: ReactNode }

/** Keeps a defect in one part of the page from taking the rest with it. It is tried again when `resetKey` changes. */
export class ScreenBoundary extends Component<Props, { error: Error | undefined }> {
  override state = { error: undefined }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override componentDidUpdate(before: Props) {
    if (before.resetKey !== this.props.resetKey && this.state.error) this.setState({ error: undefined })
  }

  override render() {
    const error = this.state.error as Error | undefined
    if (!error) return this.props.children
    return (
      <Problem
        title={`${this.props.what} cannot be shown`}
        actions={<Button onClick={() => this.setState({ error: undefined })}>Try again</Button>}
      >
        This is a defect of the dashboard: {error.message}
      </Problem>
    )
  }
}
