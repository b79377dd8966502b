import { ActionIcon, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { SlidersHorizontal } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';

interface Settings {
  /** Columns that the user has shown or hidden, by label. */
  chosen: Partial<Record<string, boolean>>;
  isDense: boolean;
}

const DEFAULTS: Settings = { chosen: {}, isDense: false };

/** The columns and the density of a table, which the browser remembers. */
export function useTableSettings(table: string) {
  const [settings, setSettings] = useLocalStorage<Settings>({
    key: `table ${table}`,
    defaultValue: DEFAULTS,
    getInitialValueInEffect: false,
  });
  const change = (changes: Partial<Settings>) => setSettings({ ...settings, ...changes });
  return { ...settings, change };
}

/** Returns the labels of the columns that fit in the table. */
function headersOf(button: HTMLElement | null): string[] {
  const cells = button?.closest('table')?.querySelectorAll('th') ?? [];
  return [...cells].filter(({ offsetParent }) => offsetParent !== null).map(({ textContent }) => textContent);
}

interface SettableColumn {
  label: string;
  width?: number;
}

interface TableSettingsProps {
  columns: readonly SettableColumn[];
  shown: readonly SettableColumn[];
  settings: ReturnType<typeof useTableSettings>;
}

export function TableSettings({ columns, shown, settings: { chosen, isDense, change } }: TableSettingsProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [fitting, setFitting] = useState<string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns change the table's headers
  useLayoutEffect(() => {
    if (isOpen) setFitting(headersOf(button.current));
  }, [isOpen, shown]);
  const hideable = columns.filter(({ width }) => width !== undefined);
  const isVisible = (column: SettableColumn) => shown.includes(column) && fitting.includes(column.label);
  const toggle = (label: string, isShown: boolean) => {
    // Once the user has chosen a column, the visible columns no longer depend on the table's width. Hide the
    // columns that do not fit now.
    const hidden = isShown ? hideable.filter((column) => !isVisible(column)) : [];
    change({
      chosen: { ...chosen, ...Object.fromEntries(hidden.map((column) => [column.label, false])), [label]: isShown },
    });
  };
  return (
    <Menu
      position="bottom-end"
      portalProps={{ target: '#main' }}
      width={210}
      closeOnItemClick={false}
      opened={isOpen}
      onChange={setOpen}
    >
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" aria-label="Columns and density">
          <SlidersHorizontal size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah="60dvh" style={{ overflowY: 'auto' }}>
        <Menu.Label>Columns</Menu.Label>
        {hideable.map((column) => (
          <Menu.CheckboxItem
            key={column.label}
            checked={isVisible(column)}
            onChange={(isShown) => toggle(column.label, isShown)}
          >
            {column.label}
          </Menu.CheckboxItem>
        ))}
        <Menu.Item onClick={() => change(DEFAULTS)}>Reset</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Density</Menu.Label>
        {[false, true].map((isCompact) => (
          <Menu.RadioItem
            key={String(isCompact)}
            value={String(isCompact)}
            checked={isDense === isCompact}
            onChange={() => change({ isDense: isCompact })}
          >
            {isCompact ? 'Compact' : 'Comfortable'}
          </Menu.RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
