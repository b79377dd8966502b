import { Box, Divider, UnstyledButton } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import {
  Activity,
  BookOpen,
  Code,
  House,
  LayoutDashboard,
  type LucideIcon,
  Radio,
  Rss,
  ScrollText,
  Search,
  Settings,
  Webhook,
} from 'lucide-react';
import { Brand } from './brand';
import { AccountSwitcher, UserMenu } from './menus';
import { useIsAdministrator } from './session';

export function Navigation({ onSearch }: { onSearch: () => void }) {
  const isAdministrator = useIsAdministrator();
  return (
    <>
      <Box px={10} pb="sm" visibleFrom="sm">
        <Brand />
      </Box>
      <AccountSwitcher />
      <UnstyledButton className="nav-link" onClick={onSearch} aria-keyshortcuts="Control+K Meta+K">
        <Search size={17} aria-hidden />
        Search
      </UnstyledButton>
      <Divider my={8} />
      <nav aria-label="Main">
        <PageLink to="/" label="Overview" icon={LayoutDashboard} isExact />
        <PageLink to="/listings" label="Listings" icon={House} />
        <PageLink to="/feeds" label="Feeds" icon={Rss} />
        {isAdministrator && (
          <>
            <PageLink to="/developers" label="Developers" icon={Code} isExact />
            <PageLink to="/developers/requests" label="Requests" icon={ScrollText} isNested />
            <PageLink to="/developers/events" label="Events" icon={Radio} isNested />
            <PageLink to="/developers/webhooks" label="Webhooks" icon={Webhook} isNested />
            <PageLink to="/activity" label="Activity" icon={Activity} />
            <PageLink to="/settings" label="Settings" icon={Settings} />
          </>
        )}
      </nav>
      <Box mt="auto">
        <a className="nav-link" href="/docs" target="_blank" rel="noreferrer">
          <BookOpen size={17} aria-hidden />
          API docs
        </a>
        <UserMenu />
      </Box>
    </>
  );
}

interface PageLinkProps {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: LucideIcon;
  /** Whether the link belongs to the link above it. */
  isNested?: boolean;
  isExact?: boolean;
}

function PageLink({ to, label, icon: Icon, isNested = false, isExact = false }: PageLinkProps) {
  return (
    <Link
      className={isNested ? 'nav-link is-nested' : 'nav-link'}
      to={to}
      activeOptions={{ exact: isExact, includeSearch: false }}
    >
      <Icon size={isNested ? 14 : 17} aria-hidden />
      {label}
    </Link>
  );
}
