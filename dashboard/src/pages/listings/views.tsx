import { Box, Button, CloseButton, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Bookmark, Check } from 'lucide-react';
import { useState } from 'react';
import type { SavedView } from '../../api/admin';
import { request } from '../../api/client';
import { refresh, savedViewsQuery } from '../../api/queries';
import { attempt } from '../../lib/notify';
import { parseSearch, stringifySearch } from '../../lib/search';
import { useForm } from '../../lib/use-form';
import { CopyText } from '../../parts/copy-button';
import { FormDialog } from '../../parts/dialogs';
import type { ListingSearch } from './search';

/** The searches that the user has saved in this account under a name. */
export function SavedViews({ search }: { search: ListingSearch }) {
  const { data } = useQuery(savedViewsQuery);
  const [dialog, setDialog] = useState<'save' | 'manage'>();
  const navigate = useNavigate();
  const views = data?.data ?? [];
  const shown = toView(search);
  const close = () => setDialog(undefined);
  const open = (view: SavedView) => void navigate({ to: '/listings', search: parseSearch(view.search) });
  return (
    <>
      <Menu position="bottom-end" width={240} portalProps={{ target: '#main' }}>
        <Menu.Target>
          <Button px="sm" leftSection={<Bookmark size={16} />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60dvh" style={{ overflowY: 'auto' }}>
          {views.map((view) => (
            <Menu.Item
              key={view.name}
              onClick={() => open(view)}
              rightSection={view.search === shown && <Check size={15} aria-label="Current" />}
            >
              <Text component="bdi" size="sm" lineClamp={2}>
                {view.name}
              </Text>
            </Menu.Item>
          ))}
          {views.length === 0 && <Menu.Label>No saved views yet</Menu.Label>}
          <Menu.Divider />
          <Menu.Item disabled={shown === ''} onClick={() => setDialog('save')}>
            Save this view…
          </Menu.Item>
          <Menu.Item disabled={views.length === 0} onClick={() => setDialog('manage')}>
            Manage views…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'save' && <SaveView search={shown} onClose={close} />}
      <Modal opened={dialog === 'manage'} onClose={close} title="Saved views" size={560}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Only you see these names. A link shows the same listings to everyone in this account.
          </Text>
          {views.map((view) => (
            <View key={view.name} view={view} onOpen={close} />
          ))}
        </Stack>
      </Modal>
    </>
  );
}

/** The query string of a view. It does not contain a cursor, so the view starts at the first page. */
function toView({ cursor: _, limit: __, area: ___, ...search }: ListingSearch): string {
  return stringifySearch(search).slice(1);
}

function SaveView({ search, onClose }: { search: string; onClose: () => void }) {
  const form = useForm({ name: '' });
  const save = async () => {
    await request('POST', '/admin/views', { body: { name: form.values.name, search } });
    await refresh(savedViewsQuery);
    onClose();
  };
  return (
    <FormDialog title="Save this view" form={form} isOpen onClose={onClose} action="Save" onSubmit={save}>
      <TextInput
        label="Name"
        description="Saves the search, filters, order, and table or map view. A view with the same name is replaced."
        data-autofocus
        autoComplete="off"
        {...form.bind('name')}
      />
    </FormDialog>
  );
}

function View({ view: { name, search }, onOpen }: { view: SavedView; onOpen: () => void }) {
  const remove = async () => {
    await attempt('The view could not be deleted', () => request('DELETE', `/admin/views/${encodeURIComponent(name)}`));
    await refresh(savedViewsQuery);
  };
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Box miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Link className="quiet-link" to="/listings" search={parseSearch(search)} onClick={onOpen}>
          <bdi>{name}</bdi>
        </Link>
        <Text size="xs" component="div">
          <CopyText text={`${window.location.origin}/listings?${search}`} label={`Copy the link to ${name}`} />
        </Text>
      </Box>
      <CloseButton aria-label={`Delete ${name}`} onClick={remove} />
    </Group>
  );
}
