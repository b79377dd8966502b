import { Drawer } from '@mantine/core';
import { ApiError, request } from '../../api/client';
import { keepListing, listingPath, listingQuery, queryClient } from '../../api/queries';
import type { Listing } from '../../api/types';
import { notify } from '../../lib/notify';
import { Conflict } from './conflict';
import { toPatch } from './draft';
import { ListingForm } from './listing-form';
import { mergeDraft } from './merge';
import { useDraft } from './use-draft';

interface EditDrawerProps {
  listing: Listing;
  isOpen: boolean;
  onClose: () => void;
}

/** The drawer for editing a listing. Closing the drawer keeps the draft; its Cancel button discards the draft. */
export function EditDrawer({ listing, isOpen, onClose }: EditDrawerProps) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      size="min(720px, 100%)"
      title="Edit listing"
      transitionProps={{ exitDuration: 0 }}
      classNames={{ body: 'drawer-body' }}
    >
      <Editor listing={listing} onClose={onClose} />
    </Drawer>
  );
}

function Editor({ listing, onClose }: Omit<EditDrawerProps, 'isOpen'>) {
  const { base, draft, isFromBefore, write, forget } = useDraft(listing.id, listing);
  const isOutdated = listing.version !== base.version;

  const save = async () => {
    const body = toPatch(draft, base);
    if (Object.keys(body).length > 0) {
      const headers = { 'If-Match': `"${base.version}"` };
      try {
        const saved = await request<Listing>('PATCH', listingPath(base.id), { body, headers });
        forget();
        await keepListing(saved);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
        await queryClient.fetchQuery({ ...listingQuery(base.id), staleTime: 0 });
        return;
      }
      notify('Changes saved.');
    }
    forget();
    onClose();
  };

  return (
    <ListingForm
      draft={draft}
      onChange={(next) => write({ base, draft: next })}
      action="Save changes"
      onSubmit={save}
      isRestored={isFromBefore && !isOutdated}
      onDiscard={forget}
      onCancel={onClose}
      note={
        isOutdated && (
          <Conflict
            draft={draft}
            base={base}
            theirs={listing}
            onMerge={() => write({ base: listing, draft: mergeDraft(draft, base, listing) })}
            onDiscard={forget}
          />
        )
      }
    />
  );
}
