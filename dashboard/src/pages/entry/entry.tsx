import { Box, Code, Skeleton, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useRouter, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Session, SetupState } from '../../api/admin';
import { focusPage } from '../../lib/focus';
import { Brand } from '../../shell/brand';
import { beginSession } from '../../shell/session';

/** The layout of pages that do not need a session: one centered card. */
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

export function LoadingEntry({ title }: { title: string }) {
  return (
    <Entry title={title}>
      <Skeleton height={200} role="status" aria-label="Loading" />
    </Entry>
  );
}

export function LinkFile({ setup: { file } }: { setup: SetupState }) {
  if (file === null) return null;
  return (
    <>
      The newest link is in <Code>{file}</Code> in the data directory.
    </>
  );
}

/** Starts the session and opens the requested page. */
export function useEnter(): (session: Session | null, next?: string) => void {
  const router = useRouter();
  return (session, next = '/') => {
    const stop = router.subscribe('onRendered', () => {
      stop();
      // Move the focus, because the form that had it is gone.
      focusPage();
    });
    beginSession(session);
    // Follow only a path of this site, to prevent open redirects.
    router.history.replace(/^\/(?![/\\])/.test(next) ? next : '/');
  };
}

/** Reads a link's token from the URL's fragment, which browsers do not send to servers. */
export function useToken(): string {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  return new URLSearchParams(hash).get('token') ?? '';
}
