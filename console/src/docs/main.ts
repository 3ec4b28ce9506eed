// What the server-rendered documentation needs besides its HTML: styles, the theme switch, copy buttons and the search.

import '../styles/fonts.css'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/parts.css'
import '../styles/frame.css'
import '../styles/docs.css'
import { bindThemeSwitch } from '../ui/theme.ts'
import { followSections } from './contents.ts'
import { addCopyButtons } from './copy-buttons.ts'
import { bindSearch } from './search.ts'
import { bindTabs } from './tabs.ts'

bindThemeSwitch()
addCopyButtons()
bindSearch()
bindTabs()
followSections()
