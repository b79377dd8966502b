import { Anchor } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';

interface BackToProps {
  to: LinkProps['to'];
  /** The name in the path of a feed. */
  name?: string;
  children: ReactNode;
}

/** A link above a page's title to the page that it belongs to. */
export function BackTo({ to, name, children }: BackToProps) {
  const target = { to, ...(name !== undefined && { params: { name } }) };
  return (
    <Anchor size="sm" c="dimmed" mb="xs" className="back-link" renderRoot={(props) => <Link {...target} {...props} />}>
      <ChevronLeft size={15} aria-hidden />
      {children}
    </Anchor>
  );
}
