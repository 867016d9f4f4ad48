import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A modal dialog; Escape and the backdrop close it, and the focus returns to where it was. */
export function Dialog({
  label,
  onClose,
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = ref;
    // `showModal` gives focus trap, inert background and top layer, which a `div` would have to imitate.
    current?.showModal();
    return () => current?.close();
  }, []);
  // Key events stop here: keys of the page below must not act, since `a` would approve a ticket behind the dialog.
  return (
    <dialog
      ref={ref}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        // Only the backdrop has the dialog itself as target; clicks on the content must not close it.
        if (event.target === ref.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
