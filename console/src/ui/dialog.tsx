// The browser's own dialog: it keeps the focus inside, closes with Escape and gives the focus back.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { ApiError } from '../app/api.ts'
import { useSubmit } from '../app/use-submit.ts'
import { Problem } from './notice.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    if (element !== null && !element.open) element.showModal()
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
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

/** Asks before something happens that cannot be taken back. */
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
          Cancel
        </button>
        <button
          type={props.onAction === undefined ? 'submit' : 'button'}
          class={props.danger ? 'button danger' : 'button'}
          disabled={props.busy}
          onClick={() => props.onAction?.()}
        >
          {props.action}
        </button>
      </div>
    </>
  )
}
