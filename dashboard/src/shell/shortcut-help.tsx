import { Kbd, Modal } from '@mantine/core';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

const SHORTCUTS: [keys: string[], meaning: string][] = [
  [[IS_MAC ? '⌘' : 'Ctrl', 'K'], 'Search listings, pages, and actions'],
  [['/'], 'Search this page'],
  [['n'], 'New listing'],
  [['↑', '↓'], 'Move between the rows of a list'],
  [['Space'], 'Select the row'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close a dialog or menu'],
  [['?'], 'Show these shortcuts'],
];

export default function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size={420} closeButtonProps={{ 'aria-label': 'Close' }}>
      <dl className="shortcuts">
        {SHORTCUTS.map(([keys, meaning]) => (
          <div key={meaning} className="shortcut">
            <dt>{meaning}</dt>
            <dd>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
