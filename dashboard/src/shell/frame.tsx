import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Menu } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { sessionQuery } from '../api/queries';
import { useShown } from '../api/shown';
import { AccountChanged } from './account-changed';
import { Brand } from './brand';
import { ImportBar } from './import-bar';
import { Navigation } from './navigation';
import { NoAccount } from './no-account';
import { beginSession, isInAccount, type Present, SessionContext } from './session';

/** What surrounds all pages of somebody who is signed in. */
export function Frame() {
  const { data: session } = useQuery({ ...sessionQuery, refetchOnWindowFocus: 'always' });
  const shown = useShown();
  /** The session as it last was about what is shown. */
  const [present, setPresent] = useState<Present>();
  const isOtherPerson = shown?.userId !== session?.user.id;
  useSignInAgain(session === null);
  useEffect(() => {
    if (session && isOtherPerson) beginSession(session);
  }, [session, isOtherPerson]);

  if (!session) return null;
  if (!isInAccount(session)) return <NoAccount session={session} />;
  if (isOtherPerson) return null;
  const isOtherAccount = shown?.accountId !== session.account.id;
  if (!isOtherAccount && present !== session) setPresent(session);
  if (present === undefined) return null;
  return (
    <SessionContext value={present}>
      {/* Another account, and another person, begin with nothing of the one before. */}
      <FramedPage key={`${present.user.id} ${present.account.id}`} />
      {isOtherAccount && <AccountChanged shown={present} now={session} />}
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
          <ImportBar />
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
    void navigate({ to: '/sign-in', search: { ended: 'yes', ...(href !== '/' && { next: href }) }, replace: true });
  }, [isSignedOut, href, navigate]);
}
