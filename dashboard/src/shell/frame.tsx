import { ActionIcon, Button, Drawer, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Building2, Menu } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { request } from '../api/client';
import { queryClient, sessionQuery } from '../api/queries';
import type { Session } from '../api/types';
import { EmptyState } from '../parts/states';
import { Brand } from './brand';
import { Navigation } from './navigation';
import { beginSession, SessionContext } from './session';

/** What surrounds all pages of somebody who is signed in. */
export function Frame() {
  const { data: session } = useQuery({ ...sessionQuery, refetchOnWindowFocus: 'always' });
  const isSignedOut = session === null;
  useSignInAgain(isSignedOut);
  useAccountChanges(session?.account?.id);
  if (!session) return null;
  const { user, account, accounts } = session;
  if (account === null) return <NoAccount session={session} />;
  return (
    <SessionContext value={{ user, account, accounts }}>
      {/* Another account begins with nothing of the one before. */}
      <FramedPage key={account.id} />
    </SessionContext>
  );
}

function FramedPage() {
  const [isMenuOpen, menu] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const lastPath = useRef(path);

  useEffect(() => {
    if (lastPath.current === path) return;
    lastPath.current = path;
    menu.close();
    // Readers of screens hear the new page, and Tab begins there.
    main.current?.focus({ preventScroll: true });
  }, [path, menu.close]);

  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <header className="topbar">
        <Brand />
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Open the menu" onClick={menu.open}>
          <Menu size={20} />
        </ActionIcon>
      </header>
      <div className="frame">
        <aside className="sidebar side" aria-label="Account and pages">
          <Navigation />
        </aside>
        <main className="main" id="main" tabIndex={-1} ref={main}>
          <Outlet />
        </main>
      </div>
      <Drawer
        opened={isMenuOpen}
        onClose={menu.close}
        size={300}
        title="Menu"
        withCloseButton
        closeButtonProps={{ 'aria-label': 'Close the menu' }}
      >
        <div className="sidebar">
          <Navigation />
        </div>
      </Drawer>
    </>
  );
}

function useSignInAgain(isSignedOut: boolean): void {
  const navigate = useNavigate();
  const href = useRouterState({ select: ({ location }) => location.href });
  useEffect(() => {
    if (!isSignedOut || href.startsWith('/sign-in')) return;
    void navigate({ to: '/sign-in', search: href === '/' ? {} : { next: href }, replace: true });
  }, [isSignedOut, href, navigate]);
}

/** Another window may have changed the account: what is known here is then another account's. */
function useAccountChanges(accountId: string | undefined): void {
  const last = useRef(accountId);
  if (last.current !== accountId) {
    const isOther = last.current !== undefined && accountId !== undefined;
    last.current = accountId;
    if (isOther) queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  }
}

function NoAccount({ session }: { session: Session }) {
  const signOut = async () => {
    await request('POST', '/admin/auth/sign-out', { body: {} });
    beginSession(null);
  };
  return (
    <main>
      <EmptyState
        icon={<Building2 size={22} />}
        title="You are in no account"
        action={
          <Button variant="default" onClick={signOut}>
            Sign out
          </Button>
        }
      >
        Ask an administrator to invite <Text component="bdi">{session.user.email}</Text>, then follow the link in the
        invitation.
      </EmptyState>
    </main>
  );
}
