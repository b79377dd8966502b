import { Anchor, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { listingPath, queryClient } from '../../api/queries';
import type { Listing } from '../../api/types';
import { deleteLater, UNDO_MS, undoDeletion } from '../../lib/deletions';

/** The listing is gone from the page at once, and from the account when nobody has taken it back. */
export function deleteListing({ id, address }: Listing): void {
  deleteLater(id, listingPath(id), async (error) => {
    notifications.hide(id);
    if (error instanceof Error) {
      notifications.show({ color: 'red', title: 'The listing was not deleted', message: error.message });
    }
    await queryClient.invalidateQueries({ queryKey: ['listings'] });
    await queryClient.invalidateQueries({ queryKey: ['overview'] });
    queryClient.removeQueries({ queryKey: ['listing', id] });
  });
  notifications.show({
    id,
    autoClose: UNDO_MS,
    withCloseButton: false,
    color: 'gray',
    message: (
      <Text size="sm" component="div">
        Deleted <bdi>{address}</bdi>.{' '}
        <Anchor
          component="button"
          size="sm"
          fw={600}
          onClick={() => {
            undoDeletion(id);
            notifications.hide(id);
          }}
        >
          Undo
        </Anchor>
      </Text>
    ),
  });
}
