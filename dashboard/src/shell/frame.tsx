import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { Compass, Menu } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { sessionQuery } from '../api/queries';
import { useShown } from '../api/shown';
import { ButtonLink } from '../parts/links';
import { EmptyState } from '../parts/states';
import { AccountChanged } from './account-changed';
import { Brand } from './brand';
import { ImportBar } from './import-bar';
import { Navigation } from './navigation';
import { NoAccount } from './no-account';
import { type AccountSession, beginSession, isInAccount, SessionContext } from './session';
import { type ShortcutDialog, Shortcuts } from './shortcuts';

/** Surrounds all pages that need a session. */
export function Frame({ content = <Outlet /> }: { content?: ReactNode }) {
  const { data: session } = useQuery({ ...sessionQuery, refetchOnWindowFocus: 'always' });
  const shown = useShown();
  /** The last session that had the account that this window shows. */
  const [current, setCurrent] = useState<AccountSession>();
  const isOtherUser = shown?.userId !== session?.user.id;
  useSignInAgain(session === null);
  useEffect(() => {
    if (session && isOtherUser) beginSession(session);
  }, [session, isOtherUser]);

  if (!session) return null;
  if (!isInAccount(session)) return <NoAccount session={session} />;
  if (isOtherUser) return null;
  const isOtherAccount = shown?.accountId !== session.account.id;
  if (!isOtherAccount && current !== session) setCurrent(session);
  if (current === undefined) return null;
  return (
    <SessionContext value={current}>
      {/* A changed key resets all state. */}
      <FramedPage key={`${current.user.id} ${current.account.id}`}>{content}</FramedPage>
      {isOtherAccount && <AccountChanged shown={current} now={session} />}
    </SessionContext>
  );
}

function FramedPage({ children }: { children: ReactNode }) {
  const [isMenuOpen, menu] = useDisclosure();
  const [dialog, setDialog] = useState<ShortcutDialog>();
  const search = () => {
    menu.close();
    setDialog('palette');
  };
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const lastPath = useRef(path);

  useEffect(() => {
    if (lastPath.current === path) return;
    lastPath.current = path;
    menu.close();
    // Move the focus to the new page, so that screen readers announce it and Tab starts there, unless the page
    // has already moved the focus to one of its inputs.
    if (!document.activeElement?.matches('[data-autofocus]')) main.current?.focus({ preventScroll: true });
  }, [path, menu.close]);

  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className="topbar">
        <Brand />
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Open menu" onClick={menu.open}>
          <Menu size={20} />
        </ActionIcon>
      </header>
      <div className="frame">
        <aside className="sidebar side" aria-label="Account and navigation">
          <Navigation onSearch={search} />
        </aside>
        <main className="main" id="main" tabIndex={-1} ref={main}>
          <ImportBar />
          {children}
        </main>
      </div>
      <Drawer
        opened={isMenuOpen}
        onClose={menu.close}
        size={300}
        title="Menu"
        withCloseButton
        closeButtonProps={{ 'aria-label': 'Close menu' }}
      >
        <div className="sidebar">
          <Navigation onSearch={search} />
        </div>
      </Drawer>
      <Shortcuts dialog={dialog} onOpen={setDialog} />
    </>
  );
}

function useSignInAgain(isSignedOut: boolean): void {
  const [navigate, router] = [useNavigate(), useRouter()];
  const href = useRouterState({ select: ({ location }) => location.href });
  useEffect(() => {
    if (!isSignedOut || href.startsWith('/sign-in')) return;
    // The router may already be opening another page, whose request found that the session has ended.
    const next = router.latestLocation.href;
    if (next.startsWith('/sign-in')) return;
    void navigate({ to: '/sign-in', search: { ended: 'yes', ...(next !== '/' && { next }) }, replace: true });
  }, [isSignedOut, href, navigate, router]);
}

/** The page for paths that do not exist. Users who are signed in still see the navigation. */
export function LostPage() {
  const { data: session, isPending } = useQuery(sessionQuery);
  if (isPending) return null;
  if (session) return <Frame content={<NotFound />} />;
  return (
    <main>
      <NotFound />
    </main>
  );
}

function NotFound() {
  return (
    <>
      <h1 className="visually-hidden">Not found</h1>
      <EmptyState icon={Compass} title="Page not found" action={<ButtonLink to="/">Go to overview</ButtonLink>}>
        Check the address. The page may have been removed.
      </EmptyState>
    </>
  );
}
