import { expect, test } from 'vitest'
import { printable } from '#cli/printable.js'

test('what a terminal would obey is shown instead', () => {
  expect(printable('a\u001b[2Jb')).toBe('a\\u001b[2Jb')
  expect(printable('\u009b31m\u0007\r\u202e')).toBe('\\u009b31m\\u0007\\u000d\\u202e')
  expect(printable('Gĩkũyũ\n\tone 🙂')).toBe('Gĩkũyũ\n\tone 🙂')
})

test('what JSON leaves raw is still the same JSON', () => {
  const value = { name: '\u009b31m \u001b[0m \u202e' }
  expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value)
})
