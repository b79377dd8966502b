import { Box, Group, Kbd, Modal } from '@mantine/core';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

const SHORTCUTS: [keys: string[], meaning: string][] = [
  [[IS_MAC ? '⌘' : 'Ctrl', 'K'], 'Search listings, pages, and actions'],
  [['/'], 'Search this page'],
  [['n'], 'New listing'],
  [['Up', 'Down'], 'Move between the rows of a list'],
  [['Space'], 'Select the row'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close a dialog or menu'],
  [['?'], 'Show these shortcuts'],
];

/** Arrows are drawn as icons, because not every font has them. */
const ARROWS: Record<string, ReactNode> = {
  Up: <ArrowUp size={11} aria-label="Up arrow" />,
  Down: <ArrowDown size={11} aria-label="Down arrow" />,
};

export default function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size={420}>
      <Box component="dl" m={0}>
        {SHORTCUTS.map(([keys, meaning]) => (
          <Group key={meaning} justify="space-between" gap={16} wrap="nowrap" py={7} fz="sm">
            <dt>{meaning}</dt>
            <Group component="dd" gap={4} m={0} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key}>{ARROWS[key] ?? key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Box>
    </Modal>
  );
}
