import { Badge } from '@mantine/core';

/** A state with a dot in one of the theme's colors. */
export function StateBadge({ label, color }: { label: string; color: string }) {
  return (
    <Badge miw="max-content">
      <span className="status-dot in-text" style={{ background: `var(--mantine-color-${color})` }} aria-hidden />
      {label}
    </Badge>
  );
}
