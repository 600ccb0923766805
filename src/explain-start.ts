import { resolve } from 'node:path'
import type { Config } from './base/config.ts'

/** An error of Node or of PostgreSQL, as far as it explains a start that failed. */
type Cause = Error & {
  readonly code?: string
  readonly syscall?: string
  readonly path?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

/** Explains an error, or returns undefined for one that it does not know. */
type Explainer = (cause: Cause, config: Config) => string | undefined

/**
 * Returns one line for an error that stopped the start: the setting, the cause, and what to do. An error that nothing here knows keeps its
 * message; only a defect of Easel has a stack.
 */
export function explainStart(error: unknown, config: Config | undefined): string {
  if (!(error instanceof Error)) return String(error)
  for (const cause of config === undefined ? [] : causesOf(error)) {
    for (const explain of [explainListen, explainDatabase, explainWorkspaceFile, explainDataFolder]) {
      const text = explain(cause, config!)
      if (text !== undefined) return text
    }
  }
  const isDefect = [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind)
  return isDefect ? (error.stack ?? error.message) : error.message.replaceAll('\n', ' ')
}

/** Returns an error and its causes, the innermost first. */
function causesOf(error: Error): Cause[] {
  const inner = error.cause instanceof Error ? causesOf(error.cause) : []
  const several = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : []
  return [...inner, ...several, error]
}

const explainListen: Explainer = ({ code, syscall, address, port, hostname }, config) => {
  if (syscall === 'getaddrinfo' && hostname === config.host && config.databaseUrl === undefined) {
    return `HOST: the name ${hostname} has no address, accepted is an address of this machine, or 0.0.0.0 for all of them`
  }
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') {
    return `HOST: this machine does not have the address ${address}, accepted is one of its own, or 0.0.0.0 for all of them`
  }
  if (port === undefined) return undefined
  if (code === 'EADDRINUSE') {
    return `PORT: ${port} is in use on ${address}, accepted is a free port; 0 takes any`
  }
  return code === 'EACCES' ? `PORT: this user may not listen on ${port}, accepted is a port from 1024` : undefined
}

const explainDatabase: Explainer = ({ code = '', message, syscall, address }, { databaseUrl }) => {
  if (databaseUrl === undefined) return undefined
  const { hostname, port, username, pathname } = new URL(databaseUrl)
  const server = `${hostname || 'localhost'}:${port || 5432}`
  const user = JSON.stringify(decodeURIComponent(username))
  const database = JSON.stringify(decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username))
  // Which of the two it is depends on the DNS of this machine.
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `DATABASE_URL: the host ${hostname} is not known; correct it, or check the DNS of this machine`
  }
  if (code === 'ENOENT' && syscall === 'connect') {
    return `DATABASE_URL: no server listens on the socket ${address}; start PostgreSQL there, or correct the path`
  }
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: `no server answers at ${server}; start PostgreSQL there, or correct host and port`,
    EHOSTUNREACH: `${server} cannot be reached; check the network and the firewall`,
    ENETUNREACH: `${server} cannot be reached; check the network and the firewall`,
    ETIMEDOUT: `${server} does not answer; check host, port and firewall`,
    ECONNRESET: `${server} ended the connection; check that it is a PostgreSQL server`,
    '28P01': `${server} refuses the user ${user} or its password; correct them`,
    '28000': `${server} does not let the user ${user} in; check the user, and pg_hba.conf of the server`,
    '3D000': `there is no database ${database} on ${server}; create it, or correct the name`,
    '42501': `the user ${user} may not create tables in the database ${database}; make it the owner of the database`,
    '53300': `${server} has no connection left; raise max_connections, or stop other clients`,
    '57P03': `${server} is starting or stopping; try again when it is up`,
    DEPTH_ZERO_SELF_SIGNED_CERT: `${server} has a certificate that is not trusted; set NODE_EXTRA_CA_CERTS to its authority`,
    SELF_SIGNED_CERT_IN_CHAIN: `${server} has a certificate that is not trusted; set NODE_EXTRA_CA_CERTS to its authority`,
  }
  if (Object.hasOwn(known, code)) return `DATABASE_URL: ${known[code]} (${code})`
  if (/client password must be a string/.test(message)) {
    return `DATABASE_URL: ${server} asks for a password; write it as postgres://user:password@host/database`
  }
  if (/does not support SSL/.test(message)) {
    return `DATABASE_URL: ${server} has no TLS; switch it on there, or remove sslmode from the URL`
  }
  if (/timeout|timed out|Connection terminated/i.test(message)) {
    return `DATABASE_URL: ${server} does not answer as PostgreSQL does; check host, port and firewall`
  }
  return undefined
}

const explainWorkspaceFile: Explainer = ({ code = '', path, syscall }, { workspaceFile }) => {
  if (workspaceFile === undefined) return undefined
  const full = resolve(workspaceFile)
  // Reading a folder fails without a path.
  if (path === undefined ? syscall !== 'read' : resolve(path) !== full) return undefined
  const known: Readonly<Record<string, string>> = {
    ENOENT: `there is no file ${full}; correct the path, or remove the variable`,
    EISDIR: `${full} is a folder; name a file`,
    EACCES: `this user may not read ${full}; give it the right`,
  }
  return Object.hasOwn(known, code) ? `EASEL_WORKSPACE: ${known[code]} (${code})` : undefined
}

const explainDataFolder: Explainer = ({ code = '', path, message }, { databaseUrl, dataDir }) => {
  if (dataDir === 'memory') return undefined
  const folder = resolve(dataDir)
  // A folder above it may be the cause.
  const isOther = path !== undefined && !resolve(path).startsWith(folder) && !folder.startsWith(resolve(path))
  if (isOther) return undefined
  const known: Readonly<Record<string, string>> = {
    EEXIST: `${folder} is a file; name a folder`,
    ENOTDIR: `${folder} is in or below a file; name a folder`,
    EACCES: `this user may not write to ${folder}; give it the right, or name another folder`,
    EPERM: `this user may not write to ${folder}; give it the right, or name another folder`,
    EROFS: `${folder} is on a disk that is read-only; name another folder`,
    ENOSPC: `the disk of ${folder} is full; free some space, or name another folder`,
    ENAMETOOLONG: `the name of ${folder.slice(0, 100)}... is too long; name another folder`,
  }
  // The embedded engine runs in a thread, and its errors come as text.
  const found = code || (/^(?:Error: )?(E[A-Z]+): /.exec(message)?.[1] ?? '')
  if (Object.hasOwn(known, found)) return `EASEL_DATA: ${known[found]} (${found})`
  const isDamaged = code === '' && /PGlite failed|\bscandir\b/.test(message)
  if (databaseUrl !== undefined || !isDamaged) return undefined
  return `EASEL_DATA: ${folder}/database is damaged or no database of Easel; restore a backup, or name another folder`
}
