import { SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ChartColumn } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { overviewQuery, refresh } from '../../api/queries';
import type { Overview } from '../../api/types';
import { Figure } from '../../parts/counts';
import { TextLink } from '../../parts/links';
import { NotLoadedPage } from '../../parts/loaded';
import { Page, Section } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { Time } from '../../parts/time';
import { useIsAdministrator, useSession } from '../../shell/session';
import { FailingWebhooks } from '../developers/webhook-state';
import { ByStatus } from './by-status';
import { FirstSteps } from './first-steps';
import { UsageTable } from './usage-table';

/** Loaded only when needed, because the code of charts is a third of all scripts. */
const UsageChart = lazy(() => import('./usage-chart'));

const REFETCH_MS = 10_000;
/** How often the page reloads its data while it waits for the account's first request. */
const FIRST_REQUEST_REFETCH_MS = 3_000;

export function OverviewPage() {
  const query = useQuery({
    ...overviewQuery,
    refetchInterval: ({ state }) => (isUnused(state.data) ? FIRST_REQUEST_REFETCH_MS : REFETCH_MS),
  });
  const { data } = query;
  const { account } = useSession();
  const [isInSteps, setInSteps] = useState(false);
  if (data === undefined) return <NotLoadedPage title="Overview" query={query} count={4} />;
  const isEmpty = data.listings.total === 0 && data.lastListingAt === null;
  // Keep the first steps until the user leaves them, because a new key may still be on the page.
  if (isEmpty && account.role === 'administrator' && !isInSteps) setInSteps(true);
  if (isInSteps) {
    const goOn = async () => {
      await refresh(overviewQuery);
      setInSteps(false);
    };
    return <FirstSteps hasKey={data.keyCount > 0} onEnd={goOn} />;
  }
  return <Figures overview={data} />;
}

function isUnused(overview: Overview | undefined): boolean {
  return overview !== undefined && overview.keyCount > 0 && overview.usage.hours.length === 0;
}

function Figures({ overview }: { overview: Overview }) {
  const { listings, usage, lastListingAt, keyCount, failingWebhooks } = overview;
  const isAdministrator = useIsAdministrator();
  const requests = usage.hours.reduce((sum, hour) => sum + hour.requests, 0);
  const errors = usage.hours.reduce((sum, hour) => sum + hour.errors, 0);
  return (
    <Page title="Overview">
      <FailingWebhooks webhooks={failingWebhooks} />
      <SimpleGrid cols={{ base: 2, md: 4 }} mb={36} spacing="sm">
        <Figure label="Listings" value={listings.total}>
          {lastListingAt !== null && (
            <>
              last added <Time at={lastListingAt} />
            </>
          )}
        </Figure>
        <Figure label="Requests" value={requests}>
          in the last 24 hours
        </Figure>
        <Figure label="Errors" value={errors}>
          {requests === 0 ? 'in the last 24 hours' : `${((errors / requests) * 100).toFixed(1)}% of requests`}
          {errors > 0 && isAdministrator && (
            <>
              {' · '}
              <TextLink size="xs" underline="always" to="/developers/requests" search={{ status: '4xx,5xx' }}>
                Show
              </TextLink>
            </>
          )}
        </Figure>
        <Figure label="API keys" value={keyCount}>
          {keyCount === 0 ? 'none yet' : 'in this account'}
        </Figure>
      </SimpleGrid>
      <Section title="By status">
        <ByStatus overview={overview} />
      </Section>
      <Section title="Requests and errors by key" description="Per hour, in the last 24 hours.">
        <div className="card">
          {requests === 0 ? (
            <EmptyState icon={ChartColumn} title="No requests in the last 24 hours">
              When your apps call the API, their requests and errors appear here.
            </EmptyState>
          ) : (
            <>
              <Suspense fallback={<Skeleton height={280} m="md" role="status" aria-label="Loading" />}>
                <UsageChart usage={usage} />
              </Suspense>
              <UsageTable usage={usage} />
            </>
          )}
        </div>
      </Section>
    </Page>
  );
}
