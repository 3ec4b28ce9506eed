// On a phone the list of pages is folded away; on a wide screen it always stands open.

export function bindMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>('.docs-menu')
  if (menu === null) return
  const wide = matchMedia('(min-width: 860px)')
  const follow = () => {
    menu.open = wide.matches
  }
  follow()
  wide.addEventListener('change', follow)
}
