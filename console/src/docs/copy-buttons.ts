// Gives every block of code a copy button.

const SHOW_DONE_MS = 2000

export function addCopyButtons(): void {
  for (const frame of document.querySelectorAll('article .code'))
    frame.append(createButton(frame.textContent ?? ''))
}

function createButton(text: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-live', 'polite')
  const say = (words: string) => {
    button.textContent = words
    setTimeout(() => {
      button.textContent = 'Copy'
    }, SHOW_DONE_MS)
  }
  button.addEventListener('click', () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Copy failed'),
    ),
  )
  return button
}
