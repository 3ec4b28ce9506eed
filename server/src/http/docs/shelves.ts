// Which pages the documentation has, in which order, and where they are.

interface Shelf {
  readonly title: string
  readonly paths: readonly string[]
}

export const SHELVES: readonly Shelf[] = [
  { title: 'Get started', paths: ['index', 'quickstart', 'concepts', 'models'] },
  {
    title: 'Guides',
    paths: [
      'guides/browser-relay',
      'guides/files',
      'guides/python',
      'guides/latency',
      'guides/endpointing',
      'guides/phrases',
      'guides/your-language',
      'guides/errors',
      'guides/billing',
      'guides/privacy',
    ],
  },
  {
    title: 'Reference',
    paths: [
      'reference/http',
      'reference/stream',
      'reference/compatible',
      'reference/client',
      'reference/command-line',
      'reference/limits',
    ],
  },
  {
    title: 'Operate',
    paths: [
      'self-hosting',
      'deploying',
      'capacity',
      'latency',
      'operators',
      'single-sign-on',
      'security',
      'upgrading',
    ],
  },
  { title: 'Project', paths: ['contributing', 'changelog'] },
]

export function urlOf(path: string): string {
  return path === 'index' ? '/docs' : `/docs/${path}`
}
