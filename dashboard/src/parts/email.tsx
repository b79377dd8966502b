/** An email address that wraps before its domain. */
export function Email({ children }: { children: string }) {
  const at = children.lastIndexOf('@') + 1;
  return (
    <bdi>
      {children.slice(0, at)}
      <wbr />
      {children.slice(at)}
    </bdi>
  );
}
