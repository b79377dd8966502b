import { useWindowEvent } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';

const Palette = lazy(() => import('./palette'));
const ShortcutHelp = lazy(() => import('./shortcut-help'));

export type ShortcutDialog = 'palette' | 'help' | undefined;

interface ShortcutsProps {
  dialog: ShortcutDialog;
  onOpen: (dialog: ShortcutDialog) => void;
}

/** The keyboard shortcuts of all pages, and the dialogs that they open. */
export function Shortcuts({ dialog, onOpen }: ShortcutsProps) {
  const navigate = useNavigate();
  const commands: Partial<Record<string, () => void>> = { k: () => onOpen('palette') };
  const keys: Partial<Record<string, () => void>> = {
    '/': () => {
      const field = document.querySelector<HTMLElement>('#main input[type="search"]');
      if (field === null) onOpen('palette');
      else field.focus();
    },
    n: () => void navigate({ to: '/listings/new' }),
    '?': () => onOpen('help'),
  };
  useWindowEvent('keydown', (event) => {
    if (event.defaultPrevented || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const run = isCommand ? commands[event.key.toLowerCase()] : keys[event.key];
    if (run === undefined || (!isCommand && isOccupied(event.target))) return;
    event.preventDefault();
    run();
  });
  const close = () => onOpen(undefined);
  return (
    <Suspense>
      {dialog === 'palette' && <Palette onClose={close} onHelp={() => onOpen('help')} />}
      {dialog === 'help' && <ShortcutHelp onClose={close} />}
    </Suspense>
  );
}

/** Whether the user is typing, or a dialog or menu is open. */
function isOccupied(target: EventTarget | null): boolean {
  const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
  return isTyping || document.querySelector('[role="dialog"], [role="menu"]') !== null;
}
