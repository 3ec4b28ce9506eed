// The operator's pages in one chunk: developers never load them.

export { Account } from './operator/account.tsx'
export { Accounts } from './operator/accounts.tsx'
export { Audit } from './operator/audit.tsx'
export { HealthPage } from './operator/health.tsx'
export { Operators } from './operator/operators.tsx'
export { AllSessions } from './operator/sessions.tsx'
export { Waitlist } from './operator/waitlist.tsx'
