import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ComponentProps } from 'react';

/** A link in running text. */
export const TextLink = createLink((props: AnchorProps & ComponentProps<'a'>) => <Anchor size="sm" {...props} />);

export const ButtonLink = createLink((props: ButtonProps & ComponentProps<'a'>) => <Button component="a" {...props} />);

/** A link above a page's title. It leads to the page that this page belongs to. */
export const BackTo = createLink(({ children, ...props }: ComponentProps<'a'>) => (
  <Anchor size="sm" c="dimmed" mb="xs" display="inline-flex" {...props} style={{ alignItems: 'center', gap: 4 }}>
    <ChevronLeft size={15} aria-hidden />
    {children}
  </Anchor>
));
