import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

/** A link in running text. */
export const TextLink = createLink((props: AnchorProps & ComponentProps<'a'>) => <Anchor size="sm" {...props} />);

/** A link that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & ComponentProps<'a'>) => <Button component="a" {...props} />);
