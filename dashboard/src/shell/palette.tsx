import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { House, KeyRound, type LucideIcon, Plus, Search, SquareArrowRight, Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { apiKeysQuery, listingsQuery } from '../api/queries';
import { formatPrice } from '../lib/format';
import { useSignOut } from './leave';
import { useIsAdministrator } from './session';

/** The search for listings starts when the user has not typed for this long. */
const TYPING_MS = 200;
const LISTINGS_MAX = '6';
const NAME = 'Search or run an action';

const [store, spotlight] = createSpotlight();

interface Action {
  /** Needed if several actions can have the same label. */
  id?: string;
  label: string;
  icon: LucideIcon;
  description?: string;
  run: () => unknown;
}

interface PaletteProps {
  onClose: () => void;
  onHelp: () => void;
}

/**
 * The command palette, which finds pages, actions, and keys by their names, and listings with the same search as
 * the list. Its code is loaded when the palette is first opened.
 */
export default function Palette({ onClose, onHelp }: PaletteProps) {
  const [query, setQuery] = useState('');
  const [words] = useDebouncedValue(query.trim(), TYPING_MS);
  const { listings, isFetching } = useListings(words);
  const isSearching = isFetching || words !== query.trim();
  const keys = useKeys();
  const actions = useActions(onHelp);
  const pages = usePages();
  useEffect(() => spotlight.open(), []);
  const has = ({ label }: Action) => label.toLowerCase().includes(query.trim().toLowerCase());
  const groups: [label: string, actions: Action[]][] = [
    ['Listings', query === '' ? [] : listings],
    ['Pages', pages.filter(has)],
    ['Actions', actions.filter(has)],
    ['API keys', query === '' ? [] : keys.filter(has)],
  ];
  const shown = groups.filter(([, found]) => found.length > 0);
  const names = shown.flatMap(([, found]) => found.map(({ id, label }) => id ?? label)).join('\n');
  // Select the first result, so that Enter runs it.
  useEffect(() => {
    if (names === '') return;
    const [first, ...others] = document.querySelectorAll('[data-action]');
    for (const other of others) other.removeAttribute('data-selected');
    first?.setAttribute('data-selected', 'true');
    store.updateState((state) => ({ ...state, selected: 0 }));
  }, [names]);
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      scrollable
      maxHeight="60dvh"
      attributes={{ content: { 'aria-label': NAME } }}
    >
      <Spotlight.Search
        aria-label={NAME}
        placeholder="Search listings, pages, and actions"
        leftSection={<Search size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {shown.map(([label, found]) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {found.map((action) => (
              <Spotlight.Action
                key={action.id ?? action.label}
                label={action.label}
                {...(action.description !== undefined && { description: action.description })}
                leftSection={<action.icon size={18} aria-hidden />}
                onClick={action.run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {shown.length === 0 && <Spotlight.Empty>{isSearching ? 'Searching…' : 'Nothing found.'}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useListings(words: string): { listings: Action[]; isFetching: boolean } {
  const navigate = useNavigate();
  // Without a letter or digit, there is nothing to search for.
  const enabled = /[\p{L}\p{N}]/u.test(words);
  const { data, isFetching } = useQuery({ ...listingsQuery({ q: words, limit: LISTINGS_MAX }), enabled });
  const found = enabled ? (data?.data ?? []) : [];
  const listings = found.map(({ id, address, city, listPrice, currency }) => ({
    id,
    label: address,
    description: [city, listPrice && formatPrice(listPrice, currency)].filter(Boolean).join(' · '),
    icon: House,
    run: () => navigate({ to: '/listings/$id', params: { id } }),
  }));
  return { listings, isFetching };
}

function useKeys(): Action[] {
  const navigate = useNavigate();
  const { data } = useQuery({ ...apiKeysQuery, enabled: useIsAdministrator() });
  return (data?.data ?? []).map(({ id, name, start }) => ({
    id,
    label: name,
    description: `Requests with ${start}…`,
    icon: KeyRound,
    run: () => navigate({ to: '/developers/requests', search: { keyId: id } }),
  }));
}

const PAGES = [
  { to: '/', label: 'Overview' },
  { to: '/listings', label: 'Listings' },
  { to: '/feeds', label: 'Feeds' },
  { to: '/profile', label: 'Profile and security' },
] as const;
const ADMINISTRATOR_PAGES = [
  { to: '/developers/requests', label: 'Requests' },
  { to: '/developers/events', label: 'Events' },
  { to: '/developers/webhooks', label: 'Webhooks' },
  { to: '/activity', label: 'Activity' },
  { to: '/settings/api', label: 'API keys' },
  { to: '/settings/team', label: 'Team' },
  { to: '/settings/account', label: 'Account' },
] as const;

function usePages(): Action[] {
  const navigate = useNavigate();
  const isAdministrator = useIsAdministrator();
  const pages = [...PAGES, ...(isAdministrator ? ADMINISTRATOR_PAGES : [])];
  const docs = { label: 'API docs', icon: SquareArrowRight, run: () => window.open('/docs', '_blank', 'noreferrer') };
  return [...pages.map(({ to, label }) => ({ label, icon: SquareArrowRight, run: () => navigate({ to }) })), docs];
}

function useActions(onHelp: () => void): Action[] {
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const isAdministrator = useIsAdministrator();
  const keys = { label: 'Generate API Key', run: () => navigate({ to: '/settings/api', search: { generate: 'yes' } }) };
  return [
    { label: 'New listing', run: () => navigate({ to: '/listings/new' }) },
    { label: 'Import listings', icon: Upload, run: () => navigate({ to: '/listings/import' }) },
    { label: 'New feed', run: () => navigate({ to: '/feeds/new' }) },
    ...(isAdministrator ? [keys] : []),
    { label: 'Light appearance', run: () => setColorScheme('light') },
    { label: 'Dark appearance', run: () => setColorScheme('dark') },
    { label: 'Keyboard shortcuts', run: onHelp },
    { label: 'Sign out', run: signOut },
  ].map((action) => ({ icon: Plus, ...action }));
}
