// Marks the section that is being read in the list of sections beside the article.

/** Below the top bar: a section whose heading is above this line is being read. */
const LINE_PX = 120

export function followSections(): void {
  const contents = document.querySelector<HTMLElement>('.docs-toc')
  const links = [...(contents?.querySelectorAll('a') ?? [])]
  const sections = links.map(link => document.getElementById(link.hash.slice(1)))
  if (contents === null || links.length === 0) return
  let marked: HTMLAnchorElement | undefined
  const mark = () => {
    const current = links[findCurrent(sections)]
    if (current === marked) return
    marked?.removeAttribute('aria-current')
    current?.setAttribute('aria-current', 'true')
    marked = current
    if (current !== undefined) reveal(contents, current)
  }
  let asked = false
  const askOnce = () => {
    if (asked) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      // Not where the list is not shown: on a narrow screen.
      if (contents.offsetParent !== null) mark()
    })
  }
  // Also sent when a page opens at a section. At its top nothing is marked, and nothing need be measured.
  addEventListener('scroll', askOnce, { passive: true })
}

function findCurrent(sections: readonly (HTMLElement | null)[]): number {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
  if (isAtEnd && scrollY > 0) return sections.length - 1
  const below = sections.findIndex(section => (section?.getBoundingClientRect().top ?? 0) > LINE_PX)
  return (below < 0 ? sections.length : below) - 1
}

/** A long list scrolls along, by itself: `scrollIntoView` would move the page, too. */
function reveal(contents: HTMLElement, link: HTMLElement): void {
  const top = link.offsetTop - contents.offsetTop
  const isHidden =
    top < contents.scrollTop || top + link.offsetHeight > contents.scrollTop + contents.clientHeight
  if (isHidden) contents.scrollTop = top - contents.clientHeight / 2
}
