import { Link, Outlet } from '@tanstack/react-router';
import { useIsAdministrator } from '../../shell/session';
import { ForAdministrators } from '../for-administrators';

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
