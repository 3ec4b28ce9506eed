import { expect, it } from 'vitest'
import { keySnippets } from '../../src/pages/keys/snippets.ts'

const allCode = (isLocal: boolean) =>
  JSON.stringify(keySnippets({ base_url: 'https://sauti.example', local_authority: isLocal }, '1.2.3'))

it('mentions a certificate authority only where the server has its own', () => {
  expect(allCode(true)).toContain('--cacert')
  expect(allCode(false)).not.toMatch(/SAUTI_CA|cacert|NODE_EXTRA_CA_CERTS/)
})
