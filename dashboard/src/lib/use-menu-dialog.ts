import { useRef, useState } from 'react';

/** Longer than Mantine takes to return the focus to the menu's item, which is gone. */
const AFTER_CLOSING_MS = 50;

/** The dialog that an item of a menu has opened. Closing it returns the focus to the menu's button. */
export function useMenuDialog<Dialog extends string>() {
  const [dialog, setDialog] = useState<Dialog>();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setDialog(undefined);
    setTimeout(() => button.current?.focus({ preventScroll: true }), AFTER_CLOSING_MS);
  };
  return { dialog, open: setDialog, close, button };
}
