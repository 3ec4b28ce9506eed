// Line icons, drawn here so that nothing is fetched. Decoration only: the word beside it says what it means.

import type { JSX } from 'preact'

const PATHS = {
  overview: 'M4 19V11M10 19V5M16 19v-6M21 19H2',
  mic: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3ZM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21',
  key: 'M14.5 9.5a4.5 4.5 0 1 1-4.2-4.5 4.5 4.5 0 0 1 4.2 4.5ZM13.3 12.7 21 20.5M18 17.5l-2 2',
  book: 'M4 5.5A2.5 2.5 0 0 1 6.5 3H20v15H6.5A2.5 2.5 0 0 0 4 20.5ZM4 20.5A2.5 2.5 0 0 0 6.5 21H20',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8v4.4M9 14.8v4.4',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14a6.5 6.5 0 0 1 3.5 6',
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  heart: 'M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.3 4.2 4.2 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10Z',
  scroll: 'M7 3h10v18l-2.5-1.6L12 21l-2.5-1.6L7 21ZM10 8h4M10 12h4',
  shield: 'M12 3 5 5.8v5.4c0 4.4 2.9 8 7 9.8 4.1-1.8 7-5.4 7-9.8V5.8ZM9 12l2.2 2.2L15.2 10',
  play: 'M8 5.5v13l10-6.5Z',
  stop: 'M7 7h10v10H7Z',
  file: 'M6 3h8l4 4v14H6ZM14 3v4h4',
  system: 'M4 5h16v11H4ZM9 20h6M12 16v4',
  download: 'M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5l3.5 2',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 20 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      class={`icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The mark: a voice as five bars. The same drawing stands in the front page and the documentation. */
export function Mark(): JSX.Element {
  return (
    <svg width="28" height="28" viewBox="0 0 28 28" fill="currentColor" aria-hidden="true">
      <rect x="2" y="11" width="3.4" height="6" rx="1.7" />
      <rect x="7.2" y="6" width="3.4" height="16" rx="1.7" />
      <rect x="12.4" y="2" width="3.4" height="24" rx="1.7" />
      <rect x="17.6" y="8" width="3.4" height="12" rx="1.7" />
      <rect x="22.8" y="11.5" width="3.4" height="5" rx="1.7" />
    </svg>
  )
}
