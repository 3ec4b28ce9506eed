// What signing in has to do with the service's own address. Apart from the library, which is loaded later than the routes.

import { isIP } from 'node:net'

/** Where an organisation's provider sends the browser back to. */
export const ORGANISATION_CALLBACK = '/console/api/sign-in/organisation/callback'

/** Whether browsers allow passkeys at this address. */
export function allowsPasskeys(publicUrl: string): boolean {
  return isIP(hostOf(publicUrl)) === 0
}

export function hostOf(publicUrl: string): string {
  return new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
}
