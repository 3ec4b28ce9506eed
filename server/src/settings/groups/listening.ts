// Where the service listens, how clients and proxies reach it, and what it says about itself.

import { isAddressOrNetwork } from '../../network/address-list.ts'
import { integer, oneOf, path, text, url } from '../parse.ts'
import { duration, type SettingsTable, setting } from '../setting.ts'

export const LISTENING = {
  host: setting('SAUTI_HOST', text, '127.0.0.1', 'Address to listen on.'),
  port: setting('SAUTI_PORT', integer(0, 65_535), 8443, 'Port to listen on. `0` picks a free port.'),
  publicUrl: setting(
    'SAUTI_PUBLIC_URL',
    url('https:'),
    undefined,
    'Public `https` address that clients use. `websocket_url` starts with it. Required with `SAUTI_TLS=off`.',
    { fallbackText: 'https://{host}:{port}' },
  ),
  nodeUrl: setting(
    'SAUTI_NODE_URL',
    url('https:'),
    undefined,
    'Address of this node, if every node has its own. Sessions placed on this node return it in `websocket_url`. ' +
      'Without it, clients stream to `SAUTI_PUBLIC_URL` and any node can serve them.',
    { fallbackText: 'SAUTI_PUBLIC_URL' },
  ),
  tls: setting(
    'SAUTI_TLS',
    oneOf('on', 'off'),
    'on',
    '`on`: HTTPS, with a local certificate unless you provide one. `off`: plain HTTP, behind a proxy that terminates TLS.',
  ),
  tlsCert: setting('SAUTI_TLS_CERT', path, undefined, 'PEM file with the certificate chain.'),
  tlsKey: setting('SAUTI_TLS_KEY', path, undefined, 'PEM file with the private key of the certificate.'),
  tlsReloadMs: duration(
    'SAUTI_TLS_RELOAD_SECONDS',
    60,
    'How often to check the certificate files. A renewed certificate is used without a restart.',
  ),
  trustedProxies: setting(
    'SAUTI_TRUSTED_PROXIES',
    parseProxies,
    undefined,
    'Comma-separated addresses or networks whose `X-Forwarded-For` header is trusted.',
  ),
  metricsHost: setting('SAUTI_METRICS_HOST', text, '127.0.0.1', 'Address that the metrics port listens on.'),
  metricsPort: setting(
    'SAUTI_METRICS_PORT',
    integer(0, 65_535),
    undefined,
    'Separate port for `/metrics`. Without it, metrics are not served.',
  ),
  logLevel: setting(
    'SAUTI_LOG_LEVEL',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Minimum severity of the lines that are logged.',
  ),
} as const satisfies SettingsTable

function parseProxies(value: string): readonly string[] {
  const proxies = value.split(',').map(one => one.trim())
  if (proxies.every(isAddressOrNetwork)) return proxies
  throw new Error('must be addresses or networks like 10.0.0.0/8, comma separated')
}
