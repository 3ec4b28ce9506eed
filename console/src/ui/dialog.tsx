// The browser's own dialog: it keeps the focus inside, closes with Escape and returns the focus.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { ApiError } from '../app/api-error.ts'
import { useSubmit } from '../app/use-submit.ts'
import { currentLanguage, t } from '../texts/texts.ts'
import { Problem } from './notice.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  /** Escape does not close it: what it shows would be lost. */
  keepOpen?: boolean
  /** All its words are in the catalogue, although those of the page around it may be English. */
  translated?: boolean
  children: ComponentChildren
}

let lastOpener: Element | null = null

/** A dialog that follows on another one goes back to where the first was opened. */
function rememberOpener(): Element | null {
  const focused = document.activeElement
  if (focused !== null && focused !== document.body && focused.closest('dialog') === null)
    lastOpener = focused
  return lastOpener
}

/** To the button that opened the dialog or, where that is gone, to the page. */
function returnFocus(opener: Element | null): void {
  setTimeout(() => {
    if (document.querySelector('dialog[open]') !== null) return
    const target = opener?.isConnected ? opener : document.getElementById('main')
    if (target instanceof HTMLElement) target.focus({ preventScroll: true })
  })
}

export function Dialog(props: DialogProps): JSX.Element {
  const { title, onClose, keepOpen = false, translated = false, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    const opener = rememberOpener()
    if (element !== null && !element.open) element.showModal()
    return () => returnFocus(opener)
  }, [])
  const onCancel = (event: Event) => keepOpen && event.preventDefault()
  // Chromium closes on a second Escape although the first was refused.
  const onKeyDown = (event: KeyboardEvent) => keepOpen && event.key === 'Escape' && event.preventDefault()
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      {...(translated && { lang: currentLanguage() })}
      onCancel={onCancel}
      onKeyDown={onKeyDown}
      onClose={onClose}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  children: ComponentChildren
  action: string
  danger?: boolean
  run: () => Promise<void>
  onClose: () => void
}

/** Asks before something that cannot be undone. */
export function Confirm({
  title,
  children,
  action,
  danger = false,
  run,
  onClose,
}: ConfirmProps): JSX.Element {
  const submission = useSubmit(async () => {
    await run()
    onClose()
  })
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <DialogEnd
        action={action}
        danger={danger}
        busy={submission.busy}
        error={submission.error}
        onAction={submission.run}
        onClose={onClose}
      />
    </Dialog>
  )
}

interface DialogEndProps {
  action: string
  danger?: boolean
  busy: boolean
  error: ApiError | undefined
  onAction?: () => void
  onClose: () => void
}

/** The foot of a dialog. Without `onAction` the button sends the form that it stands in. */
export function DialogEnd(props: DialogEndProps): JSX.Element {
  return (
    <>
      {props.error !== undefined && <Problem error={props.error} />}
      <div class="row end">
        <button type="button" class="button quiet" onClick={props.onClose}>
          {t('common.cancel')}
        </button>
        <button
          type={props.onAction === undefined ? 'submit' : 'button'}
          class={props.danger ? 'button danger' : 'button'}
          aria-disabled={props.busy}
          onClick={() => props.onAction?.()}
        >
          {props.action}
        </button>
      </div>
    </>
  )
}
