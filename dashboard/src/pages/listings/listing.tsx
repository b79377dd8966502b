import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { House, Pencil, Trash2 } from 'lucide-react';
import type { Listing } from '../../api/admin';
import { ApiError } from '../../api/client';
import { listingQuery } from '../../api/queries';
import { useDeletedIds } from '../../lib/undoable-deletions';
import { CopyBlock, CopyText } from '../../parts/copy-button';
import { ButtonLink } from '../../parts/links';
import { NotLoadedPage } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { Time } from '../../parts/time';
import { BackLink, useLeave } from './back';
import { deleteListings } from './delete-listing';
import { EditDrawer } from './edit-drawer';
import { Facts } from './facts';
import { ListingEvents } from './listing-events';
import { ListingHistory } from './listing-history';
import { Location } from './location';
import { Photos } from './photos';
import { Status } from './status';

export function ListingPage() {
  const { id } = useParams({ from: '/inside/listings/$id' });
  const query = useQuery(listingQuery(id));
  const { data: listing, error } = query;
  const isDeleted = useDeletedIds().has(id);
  if ((error instanceof ApiError && error.status === 404) || isDeleted) return <NotFound />;
  // If a reload fails, the listing that was loaded before stays on the page.
  if (listing === undefined) return <NotLoadedPage title="Listing" above={<BackLink />} query={query} />;
  return <LoadedListing key={listing.id} listing={listing} />;
}

function NotFound() {
  return (
    <Page title="Listing not found" above={<BackLink />}>
      <div className="card">
        <EmptyState
          icon={House}
          title="There is no such listing"
          action={<ButtonLink to="/listings">Show all listings</ButtonLink>}
        >
          It may have been deleted, or belong to another account.
        </EmptyState>
      </div>
    </Page>
  );
}

const TABS = { history: 'History', events: 'Events', json: 'JSON' };

function LoadedListing({ listing }: { listing: Listing }) {
  const leave = useLeave();
  const navigate = useNavigate();
  const { tab = 'history', edit } = useSearch({ from: '/inside/listings/$id' });
  const show = (search: { tab?: string | undefined; edit?: string | undefined }) =>
    void navigate({
      to: '/listings/$id',
      params: { id: listing.id },
      search: { tab, ...search },
      replace: true,
      resetScroll: false,
    });
  const remove = () => {
    deleteListings([listing]);
    leave();
  };

  return (
    <Page
      title={listing.address}
      above={<BackLink />}
      description={<Summary listing={listing} />}
      actions={
        <>
          <Button leftSection={<Trash2 size={16} />} onClick={remove}>
            Delete
          </Button>
          <Button variant="filled" leftSection={<Pencil size={16} />} onClick={() => show({ edit: 'yes' })}>
            Edit
          </Button>
        </>
      }
    >
      <Photos photos={listing.photos ?? []} />
      <div className="listing-columns">
        <Facts listing={listing} />
        <Location listing={listing} />
      </div>
      <Tabs value={tab} onChange={(next) => show({ tab: next ?? undefined })} keepMounted={false} mt="xl">
        <Tabs.List mb="md">
          {Object.entries(TABS).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="history">
          <ListingHistory listing={listing} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <ListingEvents listing={listing} />
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <ListingJson listing={listing} />
        </Tabs.Panel>
      </Tabs>
      <EditDrawer listing={listing} isOpen={edit === 'yes'} onClose={() => show({ edit: undefined })} />
    </Page>
  );
}

function Summary({ listing: { id, status, createdAt, updatedAt, version } }: { listing: Listing }) {
  const updated = <Time at={updatedAt} />;
  return (
    <Group gap="xs">
      <Text size="sm" component="span">
        <Status status={status} />
        {' · added '}
        <Time at={createdAt} />
        {version > 1 && <> · updated {updated}</>}
      </Text>
      <CopyText text={id} label="Copy the ID" />
    </Group>
  );
}

function ListingJson({ listing }: { listing: Listing }) {
  const curl = [`curl ${window.location.origin}/v1/listings/${listing.id}`, `-H "Authorization: Bearer API_KEY"`].join(
    ' \\\n  ',
  );
  return (
    <Stack className="card form-section" gap="lg">
      <CopyBlock title="Request" text={curl} label="Copy the curl command" />
      <CopyBlock title="Response" text={JSON.stringify(listing, undefined, 2)} label="Copy the JSON" />
    </Stack>
  );
}
