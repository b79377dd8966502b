import { Alert, Anchor, Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link, useCanGoBack, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { ChevronLeft, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ApiError, request } from '../../api/client';
import { listingPath, listingQuery, queryClient, refreshListings } from '../../api/queries';
import type { Listing } from '../../api/types';
import { Page } from '../../parts/page';
import { ErrorState, LoadingRows } from '../../parts/states';
import { Time } from '../../parts/time';
import { deleteListing } from './delete-listing';
import { type Draft, toCreation, toDraft, toPatch } from './draft';
import { ListingForm } from './listing-form';

export function NewListingPage() {
  const leave = useLeave();
  const create = async (draft: Draft) => {
    const listing = await request<Listing>('POST', '/admin/listings', { body: toCreation(draft) });
    await keep(listing);
    notifications.show({ message: 'The listing was created.' });
    leave();
  };
  return (
    <Page title="New listing" above={<BackLink />} description="Address, beds and baths are enough to begin with.">
      <ListingForm start={toDraft({ status: 'active' })} action="Create listing" onSubmit={create} onCancel={leave} />
    </Page>
  );
}

export function ListingPage() {
  const { id } = useParams({ from: '/inside/listings/$id' });
  const { data: listing, error, refetch } = useQuery({ ...listingQuery(id), refetchOnWindowFocus: false });
  if (error !== null) {
    const isGone = error instanceof ApiError && error.status === 404;
    return (
      <Page title={isGone ? 'No such listing' : 'Listing'} above={<BackLink />}>
        <div className="card">
          {isGone ? <ErrorState error={error} /> : <ErrorState error={error} onRetry={refetch} />}
        </div>
      </Page>
    );
  }
  if (listing === undefined) {
    return (
      <Page title="Listing" above={<BackLink />}>
        <div className="card">
          <LoadingRows />
        </div>
      </Page>
    );
  }
  return <ListingEditor key={listing.id} listing={listing} />;
}

function ListingEditor({ listing: loaded }: { listing: Listing }) {
  const leave = useLeave();
  // What the form began with, whatever is loaded meanwhile.
  const [listing, setListing] = useState(loaded);
  const [isOutdated, setOutdated] = useState(false);

  const save = async (draft: Draft) => {
    const body = toPatch(draft, listing);
    if (Object.keys(body).length > 0) {
      const headers = { 'If-Match': `"${listing.version}"` };
      await request<Listing>('PATCH', listingPath(listing.id), { body, headers }).then(keep, (error: unknown) => {
        if (error instanceof ApiError && error.status === 412) setOutdated(true);
        throw error;
      });
      notifications.show({ message: 'The changes were saved.' });
    }
    leave();
  };
  const reload = async () => {
    setListing(await queryClient.fetchQuery({ ...listingQuery(listing.id), staleTime: 0 }));
    setOutdated(false);
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
        key={listing.version}
        start={toDraft(listing)}
        action="Save changes"
        onSubmit={save}
        onCancel={leave}
        note={isOutdated && <Outdated onReload={reload} />}
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
          , changed <Time at={updatedAt} />
        </>
      )}
    </Text>
  );
}

function Outdated({ onReload }: { onReload: () => void }) {
  return (
    <Alert color="yellow" variant="light" title="Somebody changed this listing meanwhile">
      <Text size="sm" mb="xs">
        Nothing was saved. Load what they wrote, then make your changes again.
      </Text>
      <Button size="xs" variant="default" onClick={onReload}>
        Load their version
      </Button>
    </Alert>
  );
}

function BackLink() {
  return (
    <Anchor
      size="sm"
      c="dimmed"
      mb="xs"
      className="back-link"
      renderRoot={(props) => <Link to="/listings" {...props} />}
    >
      <ChevronLeft size={15} aria-hidden /> Back
    </Anchor>
  );
}

/** Back to the list as it was: its page, filters and order. */
function useLeave(): () => void {
  const canGoBack = useCanGoBack();
  const { history } = useRouter();
  const navigate = useNavigate();
  return () => {
    if (canGoBack) history.back();
    else void navigate({ to: '/listings' });
  };
}

/** Lists are asked for anew; the listing itself is known. */
async function keep(listing: Listing): Promise<void> {
  queryClient.setQueryData(listingQuery(listing.id).queryKey, listing);
  await refreshListings();
}
