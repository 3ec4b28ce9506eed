// Gives every block of code a copy button.

const SHOW_DONE_MS = 2000

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLPreElement>('article pre')) {
    const frame = document.createElement('div')
    frame.className = 'code'
    block.replaceWith(frame)
    frame.append(block, createButton(block.textContent ?? ''))
  }
}

function createButton(text: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, SHOW_DONE_MS)
  })
  return button
}
