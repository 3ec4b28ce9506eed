// Wrong handshakes and credentials.

import { closes, type Mutation } from './make.ts'

export const credentials: readonly Mutation[] = [
  {
    name: 'a malformed pair is closed instead of refused',
    rule: 'credential.malformed',
    fault: {
      handshake: offered =>
        offered.length === 2 && offered[1]?.startsWith('svc.auth.') && offered[1].length > 20
          ? undefined
          : 'take',
    },
  },
  {
    name: 'a malformed pair is 403',
    rule: 'credential.malformed',
    fault: { handshake: offered => (offered.length === 3 ? 'refuse' : undefined) },
  },
  {
    name: 'a forged credential opens a stream',
    rule: 'credential.forged',
    fault: { handshake: offered => (/[AB]{8}$/.test(offered[1] ?? '') ? 'take' : undefined) },
  },
  {
    name: 'a bad credential is refused over HTTP',
    rule: 'credential.forged',
    fault: { handshake: offered => (/[AB]{8}$/.test(offered[1] ?? '') ? 'refuse' : undefined) },
  },
  {
    name: 'a credential opens two streams',
    rule: 'credential.once',
    fault: { handshake: (_, uses) => (uses === 2 ? 'take' : undefined) },
  },
  {
    name: 'a credential opens a stream again after the close',
    rule: 'credential.never-again',
    fault: { handshake: (offered, uses) => (uses === 3 && offered.length === 2 ? 'take' : undefined) },
  },
  {
    name: 'a good credential is refused',
    rule: 'credential.opens',
    fault: {
      handshake: (offered, uses) =>
        uses === 1 && (offered[1]?.length ?? 0) > 60 && !/[AB]{8}$/.test(offered[1]!) ? 'refuse' : undefined,
    },
  },
  {
    name: 'the secret is echoed',
    rule: 'credential.not-echoed',
    fault: { subprotocol: offered => offered.at(-1)! },
  },
  { name: 'compression is taken', rule: 'credential.no-compression', fault: { compresses: true } },
  {
    name: 'a used credential closes with 1008',
    rule: 'credential.once',
    fault: closes(4401, { code: 1008 }),
  },
  {
    name: 'a used credential is called invalid',
    rule: 'credential.once',
    fault: {
      event: event => [
        event.code === 'credential_already_used' ? { ...event, code: 'invalid_credential' } : event,
      ],
    },
  },
]
