// The front page: static words, and one living thing in it, the demonstration.

import '../styles/fonts.css'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/parts.css'
import '../styles/frame.css'
import '../styles/landing.css'
import { render } from 'preact'
import { t, takeTextsOfPage } from '../texts/texts.ts'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import { Demo } from './demo.tsx'
import { greetMember } from './greet-member.ts'

takeTextsOfPage()
render(<ThemeSwitch />, document.getElementById('theme-switch') as HTMLElement)
render(<Demo />, document.getElementById('demo') as HTMLElement)
greetMember(t('common.console'))
