import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface NewestOlderProps {
  /** Undefined on the first page. */
  cursor: string | undefined;
  /** Null on the last page. */
  next: string | null;
  onOpen: (cursor: string | undefined) => void;
  children?: ReactNode;
}

/** The paging buttons below a list that shows the newest rows first. */
export function NewestOlder({ cursor, next, onOpen, children }: NewestOlderProps) {
  return (
    <Group justify="space-between" gap="xs" px={14} py={10} className="page-controls">
      <Text size="xs" c="dimmed" component="div" flex="1 1 200px">
        {children}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" disabled={cursor === undefined} onClick={() => onOpen(undefined)}>
          Newest
        </Button>
        <Button size="xs" variant="default" disabled={next === null} onClick={() => onOpen(next ?? undefined)}>
          Older
        </Button>
      </Group>
    </Group>
  );
}
