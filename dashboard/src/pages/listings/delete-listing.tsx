import { Anchor, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { listingPath, listingQuery, queryClient, refreshListings } from '../../api/queries';
import type { Listing } from '../../api/types';
import { focusPage } from '../../lib/focus';
import { formatCount } from '../../lib/format';
import { deleteLater, undoDeletions, useUndoableDeletions } from '../../lib/undoable-deletions';

/** All deletions share one note. */
const NOTE_ID = 'deletions';

/** Hides the listing at once, and deletes it when the time to undo is over. */
export function deleteListing({ id, address }: Listing): void {
  deleteLater({
    id,
    name: address,
    path: listingPath(id),
    onEnd: async (error) => {
      if (error !== undefined) showFailure(address, error);
      await refreshListings();
      queryClient.removeQueries({ queryKey: listingQuery(id).queryKey });
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
  const deletions = useUndoableDeletions();
  const isOver = deletions.length === 0;
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
      {deletions.length === 1 ? (
        <bdi className="one-line">{deletions[0]?.name}</bdi>
      ) : (
        formatCount(deletions.length, 'listing')
      )}
      .{' '}
      <Anchor component="button" size="sm" fw={600} onClick={undo}>
        Undo
      </Anchor>
    </Text>
  );
}

function showFailure(address: string, error: Error): void {
  const message = (
    <>
      <bdi className="one-line">{address}</bdi>: {error.message}
    </>
  );
  notifications.show({ color: 'red', title: 'The listing could not be deleted', message });
}
