import { Link, Outlet } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { Page } from '../parts/page';
import { EmptyState } from '../parts/states';
import { useIsAdministrator } from '../shell/session';

/** The layout of the pages below Developers, which only administrators can see. */
export function DevelopersLayout() {
  return useIsAdministrator() ? <Outlet /> : <ForAdministrators />;
}

export function ForAdministrators() {
  return (
    <Page title="Administrators only">
      <div className="card">
        <EmptyState icon={Lock} title="You don’t have access to this page">
          Only administrators of this account have access. Ask one of them if you need it.
        </EmptyState>
      </div>
    </Page>
  );
}

export function SettingsLayout() {
  if (!useIsAdministrator()) return <ForAdministrators />;
  return (
    <>
      <nav aria-label="Settings" className="tabs">
        <Link className="tab" to="/settings/api">
          API
        </Link>
        <Link className="tab" to="/settings/team">
          Team
        </Link>
        <Link className="tab" to="/settings/account">
          Account
        </Link>
      </nav>
      <Outlet />
    </>
  );
}
