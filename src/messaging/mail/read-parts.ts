/** The parts of a mail. Headers have unfolded values by name in lower case. */
export type MailParts = {
  readonly from: string | null
  readonly headers: Record<string, string>
  readonly html: string | null
  readonly text: string | null
  readonly attachments: { filename: string | null; content_type: string; bytes: number }[]
  readonly source: string
}

/** Takes the source of a mail apart. */
export async function readParts(source: Buffer): Promise<MailParts> {
  const { default: PostalMime } = await import('postal-mime')
  const parsed = await PostalMime.parse(source, { forceRfc822Attachments: true })
  const headers = Map.groupBy(parsed.headers, ({ key }) => key)
  return {
    from: parsed.headers.find(({ key }) => key === 'from')?.value ?? null,
    headers: Object.fromEntries([...headers].map(([key, list]) => [key, list.map(({ value }) => value).join('\n')])),
    html: parsed.html ?? null,
    text: parsed.text ?? null,
    attachments: parsed.attachments.map(({ filename, mimeType, content }) => ({
      filename,
      content_type: mimeType,
      bytes: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
    })),
    source: source.toString('utf8'),
  }
}
