import { Button, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeError, ErrorState, LoadingRows } from './states';

interface NotLoadedProps {
  query: Pick<UseQueryResult, 'error' | 'refetch'>;
  /** How many rows are drawn until it is there. */
  count?: number | undefined;
  /** A way out besides trying again. */
  errorAction?: ReactNode;
}

/** A card that stands where something is being loaded, or could not be. */
export function NotLoaded({ query: { error, refetch }, count, errorAction }: NotLoadedProps) {
  return (
    <div className="card">
      {error === null ? (
        <LoadingRows count={count} />
      ) : (
        <ErrorState error={error} onRetry={refetch} action={errorAction} />
      )}
    </div>
  );
}

interface LoadedProps<Data> extends NotLoadedProps {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch' | 'isPlaceholderData'>;
  children: (data: Data) => ReactNode;
}

/** A card with what was loaded. What is there stays when it cannot be loaded anew, with a word about that. */
export function LoadedCard<Data>({ query, children, ...rest }: LoadedProps<Data>) {
  const { data, error, refetch, isPlaceholderData } = query;
  if (data === undefined) return <NotLoaded query={query} {...rest} />;
  return (
    <div className={isPlaceholderData ? 'card is-stale' : 'card'} aria-busy={isPlaceholderData}>
      {error !== null && <MaybeOutdated error={error} onRetry={refetch} />}
      {children(data)}
    </div>
  );
}

function MaybeOutdated({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Group className="outdated" role="alert" justify="space-between" gap="xs">
      <Text size="sm">This may be out of date. {describeError(error)}</Text>
      <Button size="compact-sm" variant="default" onClick={onRetry}>
        Try again
      </Button>
    </Group>
  );
}
