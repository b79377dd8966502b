import { Anchor, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { listingQuery, queryClient, refreshListings } from '../../api/queries';
import { focusPage } from '../../lib/focus';
import { formatCount } from '../../lib/format';
import { notifyFailure } from '../../lib/notify';
import { type Deletable, deleteLater, undoDeletions, useUndoableItems } from '../../lib/undoable-deletions';

/** All deletions share one notification. */
const NOTE_ID = 'deletions';

/** Hides the listings immediately, and deletes them when the time to undo is over. */
export function deleteListings(listings: Deletable[]): void {
  deleteLater({
    items: listings,
    onEnd: async (failed) => {
      if (failed !== undefined) {
        notifyFailure(`${formatCount(failed.count, 'listing')} could not be deleted`, failed.message);
      }
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
  const address = items.length === 1 ? items[0]?.address : undefined;
  const undo = () => {
    undoDeletions();
    focusPage();
  };
  return (
    <Text size="sm" component="div">
      Deleted{' '}
      {address === undefined ? (
        formatCount(items.length, 'listing')
      ) : (
        <Text component="bdi" inherit truncate display="inline-block" maw="100%" style={{ verticalAlign: 'bottom' }}>
          {address}
        </Text>
      )}
      .{' '}
      <Anchor component="button" size="sm" fw={600} onClick={undo}>
        Undo
      </Anchor>
    </Text>
  );
}
