import type { FetchError } from './fetch-error.ts'

/** Errors of a connection that was never made: the other server got nothing. */
const codes: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED'],
  ...[
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_NOT_YET_VALID',
  ],
])

/** Returns whether a fetch that may succeed later has failed before the other server got anything. */
export function neverConnected(error: FetchError): boolean {
  const code = String((error.cause as { code?: unknown } | undefined)?.code ?? '')
  return error.reason === 'host' || codes.has(code)
}
