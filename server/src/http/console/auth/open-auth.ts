// Loads the library behind signing in when somebody first signs in. It takes a second of CPU time and 20 MB, which would slow down the
// start, and which a service that only recognises speech never needs.

import { loadOnce } from '../../load-once.ts'
import type { Auth } from './auth.ts'
import type { AuthParts } from './library.ts'

/** `load` is given by tests only. */
export function openAuth(parts: AuthParts, load = () => import('./auth.ts')): Auth {
  const auth = loadOnce(async () => (await load()).createAuth(parts))
  return {
    signIn: async (...given) => (await auth()).signIn(...given),
    signInWithCode: async (...given) => (await auth()).signInWithCode(...given),
    beginOneTimeCodes: async (...given) => (await auth()).beginOneTimeCodes(...given),
    finishOneTimeCodes: async (...given) => (await auth()).finishOneTimeCodes(...given),
    endOneTimeCodes: async (...given) => (await auth()).endOneTimeCodes(...given),
    passkeys: {
      beginAdding: async (...given) => (await auth()).passkeys.beginAdding(...given),
      finishAdding: async (...given) => (await auth()).passkeys.finishAdding(...given),
      beginSignIn: async () => (await auth()).passkeys.beginSignIn(),
      signIn: async (...given) => (await auth()).passkeys.signIn(...given),
    },
    renewEncryption: async () => (await auth()).renewEncryption(),
    recognise: async cookie => (await auth()).recognise(cookie),
    signOut: async cookie => (await auth()).signOut(cookie),
    changePassword: async (...given) => (await auth()).changePassword(...given),
    checkPassword: async (...given) => (await auth()).checkPassword(...given),
    setPassword: async (...given) => (await auth()).setPassword(...given),
  }
}
