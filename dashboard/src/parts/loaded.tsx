import { Button, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client';
import { describeError } from '../lib/errors';
import { Page } from './page';
import { ErrorState, LoadingRows } from './states';

interface NotLoadedProps {
  query: Pick<UseQueryResult, 'error'> & { refetch: () => unknown };
  /** How many placeholder rows to show. */
  count?: number | undefined;
}

/** A card that shows a placeholder while data is loading, or the error if the load failed. */
export function NotLoaded({ query: { error, refetch }, count }: NotLoadedProps) {
  return (
    <div className="card">
      {error === null ? <LoadingRows count={count} /> : <ErrorState error={error} onRetry={refetch} />}
    </div>
  );
}

interface NotLoadedPageProps extends NotLoadedProps {
  title: string;
  above?: ReactNode;
}

/** A page whose data is loading, does not exist, or could not be loaded. */
export function NotLoadedPage({ title, above, ...rest }: NotLoadedPageProps) {
  const { error } = rest.query;
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Page title={isGone ? `${title} not found` : title} above={above}>
      <NotLoaded {...rest} />
    </Page>
  );
}

export interface LoadedProps<Data> extends NotLoadedProps {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isPlaceholderData'> & { refetch: () => unknown };
  children: (data: Data) => ReactNode;
}

/** A card with loaded data. If a reload fails, the old data stays with a warning. */
export function LoadedCard<Data>({ query, children, ...rest }: LoadedProps<Data>) {
  const { data, error, refetch, isPlaceholderData } = query;
  if (data === undefined) return <NotLoaded query={query} {...rest} />;
  const isStale = isPlaceholderData && error === null;
  return (
    <div className={isStale ? 'card is-stale' : 'card'} aria-busy={isStale}>
      {error !== null && (
        <Group className="outdated" role="alert" justify="space-between" gap="xs">
          <Text size="sm">
            {isPlaceholderData ? 'These are the previous results.' : 'This may be out of date.'} {describeError(error)}
          </Text>
          <Button size="compact-sm" onClick={() => refetch()}>
            Try again
          </Button>
        </Group>
      )}
      {children(data)}
    </div>
  );
}
