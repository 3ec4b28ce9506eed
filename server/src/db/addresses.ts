// The address of PostgreSQL, with one host or several: `postgres://user:password@db-1,db-2:5433/sauti?target_session_attrs=read-write`.
// The driver knows one host per connection, so the address is split into one for each.

const FORM = /^(postgres(?:ql)?:\/\/)((?:[^@/?]*@)?)([^/?]*)((?:\/[^?]*)?)(?:\?(.*))?$/
/** All of them mean the one server that takes writes: there is nothing that a service could do with another. */
const ATTRIBUTES = ['read-write', 'primary', 'any']

/** One address per host, in the given order. Throws an Error that says what the address must be. */
export function splitAddress(address: string): string[] {
  const [, scheme, user, hosts = '', database, query = ''] = FORM.exec(address) ?? []
  const options = new URLSearchParams(query)
  const wanted = options.get('target_session_attrs') ?? 'any'
  if (!ATTRIBUTES.includes(wanted))
    throw new Error(`must have target_session_attrs=${ATTRIBUTES.join(' or ')}, or none`)
  options.delete('target_session_attrs')
  const rest = options.size > 0 ? `?${options}` : ''
  const addresses = hosts.split(',').map(host => `${scheme}${user}${host}${database}${rest}`)
  if (hosts !== '' && addresses.every(one => URL.canParse(one) && new URL(one).hostname !== ''))
    return addresses
  throw new Error('must be an address that begins with postgres:// or postgresql://, with one or more hosts')
}
