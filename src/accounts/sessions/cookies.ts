/** A cookie of this service: `set` and `cleared` are values of `Set-Cookie`. */
export type Cookie = { readonly name: string; set(value: string, maxAgeS: number): string; readonly cleared: string }

/**
 * Scripts cannot read the cookie, and browsers do not send it with forms of other sites. Over https it is `Secure`. Without a path its
 * name begins with `__Host-`, so that another host of the same domain cannot set it.
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

/** Returns the value of a cookie in a `Cookie` header; undefined when it is absent, or present twice because another host has set one. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return values.length === 1 ? values[0]!.slice(name.length + 1) : undefined
}

/** The cookie that holds the token of a session. */
export function createSessionCookie(publicUrl: string): Cookie {
  return createCookie('easel_session', publicUrl)
}

/** The cookie that a browser brings back from the identity provider. */
export function createAttemptCookie(publicUrl: string): Cookie {
  return createCookie('easel_sign_in', publicUrl)
}

/** The cookie that holds the page of the dashboard that a visitor wanted before signing in. */
export function createNextPageCookie(publicUrl: string): Cookie {
  return createCookie('easel_next', publicUrl)
}
