import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import type { Listing } from '../../api/types';
import { focusPage } from '../../lib/focus';
import { deleteListings } from './delete-listing';

export function RowMenu({ listing }: { listing: Listing }) {
  const navigate = useNavigate();
  const button = useRef<HTMLButtonElement>(null);
  const remove = () => {
    const row = button.current?.closest('tr');
    const next = row?.nextElementSibling ?? row?.previousElementSibling;
    deleteListings([listing]);
    // Wait until the row and its menu are gone.
    setTimeout(() => focusPage(next?.querySelector('button')));
  };
  return (
    <Menu position="bottom-end" portalProps={{ target: '#main' }} width={150}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" aria-label={`Actions for ${listing.address}`}>
          <Ellipsis size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Pencil size={15} />}
          onClick={() => navigate({ to: '/listings/$id', params: { id: listing.id }, search: { edit: 'yes' } })}
        >
          Edit
        </Menu.Item>
        <Menu.Item leftSection={<Trash2 size={15} />} c="var(--mantine-color-error)" onClick={remove}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
