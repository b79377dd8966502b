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
