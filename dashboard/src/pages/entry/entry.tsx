import { Box, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useRouter, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Session } from '../../api/types';
import { focusPage } from '../../lib/focus';
import { Brand } from '../../shell/brand';
import { beginSession } from '../../shell/session';

/** A page for somebody who is not in yet: one card in the middle. */
export function Entry({ title, children, below }: { title: string; children: ReactNode; below?: ReactNode }) {
  useDocumentTitle(`${title} · Property Listings`);
  return (
    <main className="entry">
      <Box mx="auto">
        <Brand />
      </Box>
      <Box className="card" p={{ base: 'lg', xs: 28 }}>
        <Title order={1} mb="lg">
          {title}
        </Title>
        {children}
      </Box>
      {below !== undefined && (
        <Text size="sm" c="dimmed" ta="center" component="div">
          {below}
        </Text>
      )}
    </main>
  );
}

/** Goes in, to the page that was asked for. */
export function useEnter(): (session: Session | null, next?: string) => void {
  const router = useRouter();
  return (session, next = '/') => {
    const stop = router.subscribe('onRendered', () => {
      stop();
      // The form had the focus, and is gone: readers of screens hear the page, and Tab begins there.
      focusPage();
    });
    beginSession(session);
    // Only a path of this site: an address from elsewhere could lead anywhere.
    router.history.replace(/^\/(?![/\\])/.test(next) ? next : '/');
  };
}

/** What a link carries behind `#`: it is never sent nor logged. A newer link may be opened in the same window. */
export function useToken(): string {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  return new URLSearchParams(hash).get('token') ?? '';
}
