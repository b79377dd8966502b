import { Anchor } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ComponentProps } from 'react';

/** A link above a page's title to the page that it belongs to. */
export const BackTo = createLink(({ children, ...props }: ComponentProps<'a'>) => (
  <Anchor size="sm" c="dimmed" mb="xs" {...props} className="back-link">
    <ChevronLeft size={15} aria-hidden />
    {children}
  </Anchor>
));
