// Whoever is signed in gets the way to the console instead of “Sign in”, “Join” and “Join the waitlist”.

import { CONSOLE_API } from '@sauti/protocol/console-rules'

export async function greetMember(label: string): Promise<void> {
  // The cookie of a sign-in cannot be read here, so the server is asked; only those who used the console before are.
  if (!document.cookie.includes('sauti_member=')) return
  const answer = await fetch(`${CONSOLE_API}/me`)
  if (!answer.ok) return
  const links = document.querySelectorAll<HTMLAnchorElement>('[data-visitor]')
  for (const [at, link] of [...links].entries()) {
    if (at > 0) {
      link.remove()
      continue
    }
    link.href = '/app'
    link.textContent = label
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-member]')) {
    link.href = '/app'
    link.textContent = link.dataset.member ?? label
  }
}
