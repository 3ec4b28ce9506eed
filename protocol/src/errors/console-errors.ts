// Errors of the console's own API, which only its pages call.

import { badRequest, type ErrorEntry, forbidden, limited, unauthenticated, unavailable } from './entry.ts'

export const CONSOLE_ERRORS = {
  sign_in_required: { http: unauthenticated, console: true, message: 'Sign in to continue.' },
  invalid_sign_in: {
    http: unauthenticated,
    console: true,
    message: 'The email address or the password is wrong.',
  },
  code_required: {
    http: unauthenticated,
    console: true,
    message: 'Enter the code from your authenticator app.',
  },
  wrong_code: { http: badRequest, console: true, message: 'The code is wrong or was already used.' },
  passkey_refused: {
    http: unauthenticated,
    console: true,
    message: 'This passkey was not accepted. Try again, or sign in with your password.',
  },
  passkey_not_added: {
    http: badRequest,
    console: true,
    message: 'The passkey could not be added. Try again.',
  },
  passkey_limit_reached: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'You have 20 passkeys. Remove one first.',
  },
  passkeys_unavailable: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'Passkeys do not work at this address.',
  },
  organisation_unavailable: {
    http: unavailable,
    console: true,
    message: 'Your organisation’s sign-in service is not responding correctly. Try again later.',
  },
  organisation_refused: {
    http: unauthenticated,
    console: true,
    message: 'The response from your organisation could not be verified. Start again.',
  },
  organisation_denied: {
    http: unauthenticated,
    console: true,
    message: 'Your organisation refused the sign-in.',
  },
  organisation_expired: {
    http: badRequest,
    console: true,
    message: 'This sign-in was used before or took too long. Start again.',
  },
  email_not_confirmed: {
    http: forbidden,
    console: true,
    message: 'Your organisation does not confirm your email address. Ask its administrators.',
  },
  person_unknown: {
    http: forbidden,
    console: true,
    message: 'Nobody with your email address is known here. Ask for an invitation, or join the waitlist.',
  },
  confirmation_required: {
    http: forbidden,
    console: true,
    message: 'Enter your password again to continue.',
  },
  fresh_sign_in_required: {
    http: forbidden,
    console: true,
    message: 'Sign out and sign in again to continue. You have no password to enter here.',
  },
  wrong_password: { http: badRequest, console: true, message: 'The current password is wrong.' },
  common_password: {
    http: badRequest,
    console: true,
    message: 'This password is too common. Choose another one.',
  },
  invalid_link: {
    http: badRequest,
    console: true,
    // The same for every link: whoever was invited and has an account already is told nothing by email where there is no mail server.
    message:
      'This link was already used, has expired, or invites someone who already has an account. Sign in, or ask for a new link.',
  },
  foreign_origin: { http: forbidden, console: true, message: 'The request did not come from the console.' },
  operator_only: { http: forbidden, console: true, message: 'Only operators can do this.' },
  role_not_allowed: {
    http: forbidden,
    console: true,
    message: 'Your role does not allow this. Ask an owner.',
  },
  grant_cap_exceeded: {
    http: forbidden,
    console: true,
    message: 'This is more credit than your role can grant per day. Ask an owner.',
  },
  no_account: { http: forbidden, console: true, message: 'You have no account yet.' },
  record_not_found: {
    http: { status: 404, type: 'invalid_request_error' },
    console: true,
    message: 'Not found.',
  },
  key_not_usable: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'This key was revoked, has expired or was already rotated.',
  },
  already_decided: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'Someone else has already handled this request.',
  },
  email_taken: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'Someone already signs in with this email address.',
  },
  owner_only: { http: forbidden, console: true, message: 'Only owners of the account can do this.' },
  last_operator: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'You are the only owner. Invite another owner first.',
  },
  sign_in_busy: {
    http: unavailable,
    console: true,
    message: 'Many people are signing in right now. Try again in a few seconds.',
  },
  too_many_attempts: {
    http: limited,
    console: true,
    message: 'Too many attempts. Wait a few minutes, then try again.',
  },
} as const satisfies Record<string, ErrorEntry>
