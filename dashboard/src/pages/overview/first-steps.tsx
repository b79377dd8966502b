import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Check, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EventList, Listing, ListingList } from '../../api/admin';
import { request } from '../../api/client';
import { refreshListings } from '../../api/queries';
import { formatCount } from '../../lib/format';
import { TextLink } from '../../parts/links';
import { Page } from '../../parts/page';
import { useSession } from '../../shell/session';
import { GenerateApiKey } from '../settings/generate-api-key';
import { QuickStart } from '../settings/quick-start';

const PLACEHOLDER = 'API_KEY';

/** Shown to administrators until the account has its first listing. */
export function FirstSteps({ hasKey, onEnd }: { hasKey: boolean; onEnd: () => Promise<void> }) {
  const { user } = useSession();
  const [isGenerating, generating] = useDisclosure();
  const listing = useFirstListing();

  return (
    <Page
      title={`Welcome, ${user.name}`}
      windowTitle="First steps"
      description="Three steps to your first listing through the API."
    >
      <div className="card">
        <Step number={1} title="Create an API key" isDone={hasKey}>
          <Text size="sm" c="dimmed">
            An API key gives an app access to this account.
          </Text>
          <Group>
            <Button variant={hasKey ? 'default' : 'filled'} leftSection={<Plus size={16} />} onClick={generating.open}>
              Generate API Key
            </Button>
          </Group>
        </Step>
        <Step number={2} title="Send your first request" isDone={listing !== undefined}>
          <Text size="sm" c="dimmed">
            When you create a key, copy this code with the key filled in, or replace <code>{PLACEHOLDER}</code> below.
          </Text>
          <QuickStart apiKey={PLACEHOLDER} />
        </Step>
        <Step number={3} title="See your first listing" isDone={listing !== undefined}>
          {listing === undefined ? <Waiting /> : <Arrived listing={listing} onEnd={onEnd} />}
        </Step>
      </div>
      <Text size="sm" c="dimmed" mt="lg">
        No terminal? <TextLink to="/listings/new">Create a listing in the dashboard</TextLink> or{' '}
        <TextLink to="/listings/import">import a file</TextLink>.
      </Text>
      <GenerateApiKey isOpen={isGenerating} onClose={generating.close} />
    </Page>
  );
}

interface StepProps {
  number: number;
  title: string;
  isDone: boolean;
  children: ReactNode;
}

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <section className="step">
      <span className="step-number" data-done={isDone || undefined} aria-hidden>
        {isDone ? <Check size={15} /> : number}
      </span>
      <Stack gap="sm" flex={1} miw={0}>
        <Title order={2}>
          {title}
          {isDone && <span className="visually-hidden"> (done)</span>}
        </Title>
        {children}
      </Stack>
    </section>
  );
}

function Waiting() {
  return (
    <Group gap={10} role="status" wrap="nowrap">
      <span className="pulse" aria-hidden />
      <Text size="sm" c="dimmed">
        Waiting for your first listing…
      </Text>
    </Group>
  );
}

function Arrived({ listing, onEnd }: { listing: Listing; onEnd: () => Promise<void> }) {
  const { id, address, beds, baths } = listing;
  const navigate = useNavigate();
  return (
    <>
      <Text size="sm" role="status">
        Your first listing arrived:{' '}
        <strong>
          <bdi>{address}</bdi>
        </strong>{' '}
        · {formatCount(beds, 'bed')} · {formatCount(baths, 'bath')}
      </Text>
      <Group gap="xs">
        <Button variant="filled" onClick={onEnd}>
          Go to overview
        </Button>
        <Button onClick={() => navigate({ to: '/listings/$id', params: { id } })}>Open listing</Button>
      </Group>
    </>
  );
}

/** How long a long poll waits for an event. */
const WAIT_SECONDS = '25';
/** The delay after a failure, because the service may be restarting. */
const RETRY_MS = 3_000;

/** Waits for the account's first listing with long polls, and returns it. */
function useFirstListing(): Listing | undefined {
  const { data } = useQuery({
    queryKey: ['first-listing'],
    queryFn: async ({ signal }) => {
      const listing = await waitForListing(signal);
      void refreshListings();
      return listing;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // When the page is opened again, the listing may have been deleted.
    gcTime: 0,
    retry: true,
    retryDelay: RETRY_MS,
  });
  return data;
}

async function waitForListing(signal: AbortSignal): Promise<Listing> {
  const query = { limit: '1' };
  const list = await request<ListingList>('GET', '/admin/listings', { query, signal });
  const [first] = list.data;
  if (first !== undefined) return first;
  let after = String(list.sequence);
  for (;;) {
    const events = await request<EventList>('GET', '/admin/events', { query: { after, wait: WAIT_SECONDS }, signal });
    const found = events.data.find((event) => event.type === 'listing.created')?.listing;
    if (found !== undefined) return found;
    after = String(events.nextAfter);
  }
}
