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

/** The status of a response; null if there was none. */
export function StatusCode({ status }: { status: number | null }) {
  const color = status === null || status >= 400 ? 'var(--mantine-color-red-7)' : 'var(--mantine-color-evergreen-5)';
  return (
    <>
      <span className="status-dot in-text" style={{ background: color }} aria-hidden />
      {status ?? 'None'}
    </>
  );
}
