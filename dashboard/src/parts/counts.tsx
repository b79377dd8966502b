import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode, Ref } from 'react';
import { formatNumber } from '../lib/format';

interface CountsProps {
  label: string;
  /** Counts by name. Undefined ones are omitted. */
  counts: Record<string, number | undefined>;
  ref?: Ref<HTMLDivElement>;
}

/** The counts of an import, a run, or a plan. */
export function Counts({ label, counts, ref }: CountsProps) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} role="status" aria-label={label} tabIndex={-1} ref={ref}>
      {Object.entries(counts).map(
        ([name, count]) => count !== undefined && <Figure key={name} label={name} value={count} />,
      )}
    </SimpleGrid>
  );
}

/** A number in a card. `children` is a note that is shown below it. */
export function Figure({ label, value, children }: { label: string; value: number; children?: ReactNode }) {
  return (
    <div className="card figure">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text className="figure-number">{formatNumber(value)}</Text>
      {children !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {children}
        </Text>
      )}
    </div>
  );
}
