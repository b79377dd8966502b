import { ActionIcon, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { SlidersHorizontal } from 'lucide-react';

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
  return (
    <Menu position="bottom-end" portalProps={{ target: '#main' }} width={210} closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="Columns and density">
          <SlidersHorizontal size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah="60dvh" style={{ overflowY: 'auto' }}>
        <Menu.Label>Columns</Menu.Label>
        {columns
          .filter(({ width }) => width !== undefined)
          .map((column) => (
            <Menu.CheckboxItem
              key={column.label}
              checked={shown.includes(column)}
              onChange={(isShown) => change({ chosen: { ...chosen, [column.label]: isShown } })}
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
