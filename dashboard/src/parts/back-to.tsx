import { Anchor } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ComponentProps } from 'react';

/** A link above a page's title. It leads to the page that this page belongs to. */
export const BackTo = createLink(({ children, ...props }: ComponentProps<'a'>) => (
  <Anchor size="sm" c="dimmed" mb="xs" {...props} className="back-link">
    <ChevronLeft size={15} aria-hidden />
    {children}
  </Anchor>
));
