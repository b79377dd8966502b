import { Anchor, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { listingPath, listingQuery, queryClient, refreshListings } from '../../api/queries';
import type { Listing } from '../../api/types';
import { focusPage } from '../../lib/focus';
import { formatCount } from '../../lib/format';
import { deleteLater, undoDeletions, useUndoableItems } from '../../lib/undoable-deletions';

/** All deletions share one note. */
const NOTE_ID = 'deletions';

/** Hides the listings at once, and deletes them when the time to undo is over. */
export function deleteListings(listings: Listing[]): void {
  deleteLater({
    items: listings.map(({ id, address }) => ({ id, name: address, path: listingPath(id) })),
    onEnd: async (errors) => {
      showFailures(errors);
      await refreshListings();
      for (const { id } of listings) queryClient.removeQueries({ queryKey: listingQuery(id).queryKey });
    },
  });
  notifications.show({
    id: NOTE_ID,
    autoClose: false,
    withCloseButton: false,
    color: 'gray',
    message: <UndoNote />,
  });
}

function UndoNote() {
  const items = useUndoableItems();
  const isOver = items.length === 0;
  useEffect(() => {
    if (isOver) notifications.hide(NOTE_ID);
  }, [isOver]);
  if (isOver) return null;
  const undo = () => {
    undoDeletions();
    focusPage();
  };
  return (
    <Text size="sm" component="div">
      Deleted{' '}
      {items.length === 1 ? <bdi className="one-line">{items[0]?.name}</bdi> : formatCount(items.length, 'listing')}.{' '}
      <Anchor component="button" size="sm" fw={600} onClick={undo}>
        Undo
      </Anchor>
    </Text>
  );
}

function showFailures(errors: Error[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const title = `${formatCount(errors.length, 'listing')} could not be deleted`;
  notifications.show({ color: 'red', title, message: first.message });
}
