/** Whether a text is a URL to which callbacks can be posted: http or https, without credentials. */
export function isEndpoint(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}
