import { useRef, useState } from 'react';

/** A delay that is longer than Mantine takes to return the focus to the menu item, which no longer exists. */
const AFTER_CLOSING_MS = 50;

/** Manages the dialog that a menu item opens. Closing the dialog returns the focus to the menu's button. */
export function useMenuDialog<Dialog extends string>() {
  const [dialog, setDialog] = useState<Dialog>();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setDialog(undefined);
    setTimeout(() => button.current?.focus({ preventScroll: true }), AFTER_CLOSING_MS);
  };
  return { dialog, open: setDialog, close, button };
}
