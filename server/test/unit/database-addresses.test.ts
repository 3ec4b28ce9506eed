import { describe, expect, it } from 'vitest'
import { splitAddress } from '#server/db/addresses.js'

describe('the address of PostgreSQL', () => {
  it.each([
    ['postgres://sauti:pw@db/sauti', ['postgres://sauti:pw@db/sauti']],
    ['postgresql://db', ['postgresql://db']],
    [
      'postgres://sauti:pw@one:5433,two/sauti?sslmode=require&target_session_attrs=read-write',
      ['postgres://sauti:pw@one:5433/sauti?sslmode=require', 'postgres://sauti:pw@two/sauti?sslmode=require'],
    ],
    [
      'postgres://[::1]:5432,10.0.0.2/x?target_session_attrs=primary',
      ['postgres://[::1]:5432/x', 'postgres://10.0.0.2/x'],
    ],
  ])('%s is %j', (address, addresses) => {
    expect(splitAddress(address)).toEqual(addresses)
  })

  it.each([
    ['mysql://db', 'must be an address'],
    ['postgres://', 'must be an address'],
    ['postgres://one,,two/x', 'must be an address'],
    ['postgres://one,two:port/x', 'must be an address'],
    ['postgres://one,two/x?target_session_attrs=standby', 'must have target_session_attrs='],
  ])('%s is refused', (address, problem) => {
    expect(() => splitAddress(address)).toThrow(problem)
  })
})
