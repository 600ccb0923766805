/** A cookie of ours as a browser is told to keep it. */
export type Cookie = { readonly name: string; set(value: string, maxAgeS: number): string; readonly cleared: string }

/**
 * A cookie that scripts do not see and other sites do not send with their forms. Over https it is `Secure`, and where Easel has the
 * whole host `__Host-`, so that no neighbouring name can plant one.
 */
function createCookie(base: string, publicUrl: string): Cookie {
  const { protocol, pathname } = new URL(publicUrl)
  const secure = protocol === 'https:'
  const name = secure && pathname === '/' ? `__Host-${base}` : base
  const flags = `Path=${pathname}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    name,
    set: (value, maxAgeS) => `${name}=${value}; Max-Age=${maxAgeS}; ${flags}`,
    cleared: `${name}=; Max-Age=0; ${flags}`,
  }
}

/** The value of a cookie in a `Cookie` header; undefined when it is not there, or there twice: then somebody else has planted one. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return values.length === 1 ? values[0]!.slice(name.length + 1) : undefined
}

/** What a browser shows who is signed in with. */
export function createSessionCookie(publicUrl: string): Cookie {
  return createCookie('easel_session', publicUrl)
}

/** What a browser brings back from the identity provider. */
export function createAttemptCookie(publicUrl: string): Cookie {
  return createCookie('easel_sign_in', publicUrl)
}
