// Signing in with the provider of an organisation (OpenID Connect).

import { text, url } from '../parse.ts'
import { type SettingsTable, setting } from '../setting.ts'

export const ORGANISATION = {
  oidcIssuer: setting(
    'SAUTI_OIDC_ISSUER',
    parseIssuer,
    undefined,
    'Address of an OpenID Connect provider that people can sign in with, exactly as in its discovery document. It must use `https`, except on this machine.',
  ),
  oidcClientId: setting(
    'SAUTI_OIDC_CLIENT_ID',
    text,
    undefined,
    'Client ID of this service at the provider. Required with `SAUTI_OIDC_ISSUER`.',
  ),
  oidcClientSecret: setting(
    'SAUTI_OIDC_CLIENT_SECRET',
    text,
    undefined,
    'Secret of that client. Required with `SAUTI_OIDC_ISSUER`.',
    { isSecret: true },
  ),
  oidcName: setting(
    'SAUTI_OIDC_NAME',
    text,
    'your organisation',
    'Name of the provider on the button of the sign-in page.',
  ),
  oidcDomains: setting(
    'SAUTI_OIDC_DOMAINS',
    parseDomains,
    undefined,
    'Comma-separated email domains whose people can sign in without an invitation. They get an account without credit. ' +
      'Without this setting, only people who are already known can sign in.',
  ),
} as const satisfies SettingsTable

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Kept as it is written: providers compare it letter by letter. */
function parseIssuer(value: string): string {
  const { protocol, hostname, search, hash, username } = url('https:', 'http:')(value)
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    throw new Error('must begin with https://, except for this machine')
  if (search !== '' || hash !== '' || username !== '') throw new Error('must have no query and no user name')
  return value
}

function parseDomains(value: string): readonly string[] {
  const domains = value.split(',').map(domain => domain.trim().toLowerCase())
  if (domains.every(domain => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))) return domains
  throw new Error('must be domains such as example.org, separated by commas')
}
