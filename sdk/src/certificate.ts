// A certificate that is not trusted now will not be trusted at the next attempt either: it is reported at once, with what to do about it.

const CODES = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export const CERTIFICATE_HINT =
  'Name the certificate authority of the service with SAUTI_CA, or with NODE_EXTRA_CA_CERTS before Node starts.'

/** Of an error or any of its causes. Browsers do not tell, and then it is not known. */
export function isUntrusted(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (CODES.has((cause as { code?: string }).code ?? '')) return true
  }
  return false
}
