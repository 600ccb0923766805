/** Returns the first segment of a path. */
export function folderOf(url: string): string {
  return /^\/*([^/?]*)/.exec(url)![1]!
}

/** Returns the relative path from a page to the root, such as `../../`. */
export function rootFrom(url: string): string {
  const [path = ''] = url.split('?')
  return '../'.repeat(path.replace(/^\/+/, '').split('/').length - 1)
}
