// What the server-rendered documentation needs besides its HTML: styles, the theme switch, copy buttons and the search.

import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/parts.css'
import '../styles/frame.css'
import '../styles/docs.css'
import { bindThemeSwitch } from '../ui/theme.ts'
import { addCopyButtons } from './copy-buttons.ts'
import { bindMenu } from './menu.ts'
import { bindSearch } from './search.ts'

bindThemeSwitch()
addCopyButtons()
bindMenu()
bindSearch()
