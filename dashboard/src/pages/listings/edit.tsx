import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { ApiError, request } from '../../api/client';
import { listingPath, listingQuery, queryClient, refreshListings } from '../../api/queries';
import type { Listing } from '../../api/types';
import { notify } from '../../lib/notify';
import { NotLoaded } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { Time } from '../../parts/time';
import { BackLink, useLeave } from './back';
import { Conflict } from './conflict';
import { deleteListing } from './delete-listing';
import { toCreation, toPatch } from './draft';
import { ListingForm } from './listing-form';
import { mergeDraft } from './merge';
import { useDraft } from './use-draft';

const BLANK: Partial<Listing> = { status: 'active' };

export function NewListingPage() {
  const leave = useLeave();
  const { base, draft, isFromBefore, write, forget } = useDraft('new', BLANK);
  const create = async () => {
    const listing = await request<Listing>('POST', '/admin/listings', { body: toCreation(draft) });
    forget();
    await keep(listing);
    notify('Listing created.');
    leave();
  };
  return (
    <Page title="New listing" above={<BackLink />} description="Only address, beds, and baths are required.">
      <ListingForm
        draft={draft}
        onChange={(next) => write({ base, draft: next })}
        action="Create listing"
        onSubmit={create}
        isRestored={isFromBefore}
        onDiscard={forget}
      />
    </Page>
  );
}

export function ListingPage() {
  const { id } = useParams({ from: '/inside/listings/$id' });
  const query = useQuery({ ...listingQuery(id), refetchOnWindowFocus: false });
  const { data: listing, error } = query;
  // If a reload fails, a loaded listing stays on the page.
  if (listing === undefined) {
    const isGone = error instanceof ApiError && error.status === 404;
    return (
      <Page title={isGone ? 'Listing not found' : 'Listing'} above={<BackLink />}>
        <NotLoaded query={query} />
      </Page>
    );
  }
  return <ListingEditor key={listing.id} listing={listing} />;
}

function ListingEditor({ listing }: { listing: Listing }) {
  const leave = useLeave();
  const { base, draft, isFromBefore, write, forget } = useDraft(listing.id, listing);
  const isOutdated = listing.version !== base.version;

  const save = async () => {
    const body = toPatch(draft, base);
    if (Object.keys(body).length > 0) {
      const headers = { 'If-Match': `"${base.version}"` };
      try {
        const saved = await request<Listing>('PATCH', listingPath(base.id), { body, headers });
        forget();
        await keep(saved);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
        await queryClient.fetchQuery({ ...listingQuery(base.id), staleTime: 0 });
        return;
      }
      notify('Changes saved.');
    }
    forget();
    leave();
  };
  const remove = () => {
    deleteListing(listing);
    leave();
  };

  return (
    <Page
      title={listing.address}
      above={<BackLink />}
      description={<Facts listing={listing} />}
      actions={
        <Button variant="default" leftSection={<Trash2 size={16} />} onClick={remove}>
          Delete
        </Button>
      }
    >
      <ListingForm
        draft={draft}
        onChange={(next) => write({ base, draft: next })}
        action="Save changes"
        onSubmit={save}
        isRestored={isFromBefore && !isOutdated}
        onDiscard={forget}
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
    </Page>
  );
}

function Facts({ listing: { id, version, createdAt, updatedAt } }: { listing: Listing }) {
  return (
    <Text size="sm" component="div">
      <code>{id}</code> · version {version} · added <Time at={createdAt} />
      {version > 1 && (
        <>
          {' · changed '}
          <Time at={updatedAt} />
        </>
      )}
    </Text>
  );
}

async function keep(listing: Listing): Promise<void> {
  queryClient.setQueryData(listingQuery(listing.id).queryKey, listing);
  await refreshListings();
}
