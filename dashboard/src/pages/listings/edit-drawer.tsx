import { Box, Button, Drawer, Group, Text } from '@mantine/core';
import type { Listing } from '../../api/admin';
import { ApiError, request } from '../../api/client';
import { keepListing, listingPath, listingQuery, queryClient } from '../../api/queries';
import { focusPage } from '../../lib/focus';
import { notify } from '../../lib/notify';
import { Note } from '../../parts/form';
import { type Draft, toPatch } from './draft';
import { ListingForm } from './listing-form';
import { findChanges, mergeDraft } from './merge';
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

interface ConflictProps {
  draft: Draft;
  /** The version that the user began to edit. */
  base: Listing;
  /** The latest version. */
  theirs: Listing;
  onMerge: () => void;
  onDiscard: () => void;
}

/** Shown if another user or a program changed the listing first. The user can merge the draft or discard it. */
function Conflict({ draft, base, theirs, onMerge, onDiscard }: ConflictProps) {
  const and = (work: () => void) => () => {
    work();
    focusPage(document.querySelector<HTMLElement>('[role="dialog"]'));
  };
  return (
    <Note color="yellow" title="Someone else changed this listing">
      <Text size="sm">Your changes aren’t saved yet, but nothing is lost. Changed in the meantime:</Text>
      <Box component="ul" my={6} mx={0} ps={20} fz={14} style={{ overflowWrap: 'anywhere' }}>
        {findChanges(draft, base, theirs).map(({ label, theirs: value, isBoth }) => (
          <li key={label}>
            {label}
            {value !== undefined && (
              <>
                , now <bdi>{value === '' ? 'empty' : value}</bdi>
              </>
            )}
            {isBoth && <b> – you also changed it</b>}
          </li>
        ))}
      </Box>
      <Text size="sm" mb="sm">
        Apply your changes to the latest version, then review and save.
      </Text>
      <Group gap="xs">
        <Button variant="filled" size="xs" onClick={and(onMerge)}>
          Apply my changes
        </Button>
        <Button size="xs" onClick={and(onDiscard)}>
          Discard my changes
        </Button>
      </Group>
    </Note>
  );
}
