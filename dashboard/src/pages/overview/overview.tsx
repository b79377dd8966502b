import { Flex, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { listingStatusValues, type Overview } from '../../api/admin';
import { overviewQuery, refresh } from '../../api/queries';
import { formatNumber } from '../../lib/format';
import { Figure } from '../../parts/counts';
import { TextLink } from '../../parts/links';
import { NotLoadedPage } from '../../parts/loaded';
import { Page, Section } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { Time } from '../../parts/time';
import { useIsAdministrator, useSession } from '../../shell/session';
import { FailingWebhooks } from '../developers/webhook-state';
import { STATUS_COLORS, Status } from '../listings/status';
import { FirstSteps } from './first-steps';
import { UsageTable } from './usage-table';

/** Loaded only when needed, because the code of charts is a third of all scripts. */
const UsageChart = lazy(() => import('./usage-chart'));

const REFETCH_MS = 10_000;
/** How often the page reloads its data while the account has keys, but no requests in the last 24 hours. */
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

function ByStatus({ overview: { listings } }: { overview: Overview }) {
  const parts = listingStatusValues.flatMap((status) => {
    const count = listings.byStatus[status] ?? 0;
    return count === 0 ? [] : [{ status, count }];
  });
  if (parts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No listings yet.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Flex h={8} gap={2} bdrs={4} style={{ overflow: 'hidden' }} aria-hidden>
        {parts.map(({ status, count }) => (
          <div key={status} style={{ flexGrow: count, background: STATUS_COLORS[status] }} />
        ))}
      </Flex>
      <Group gap="lg" component="ul" className="plain-list" style={{ rowGap: 8 }}>
        {parts.map(({ status, count }) => (
          <li key={status}>
            <Link className="quiet-link status-link" to="/listings" search={{ status }}>
              <Status status={status} />
              <Text component="span" size="sm" c="dimmed">
                {formatNumber(count)}
              </Text>
            </Link>
          </li>
        ))}
      </Group>
    </Stack>
  );
}
