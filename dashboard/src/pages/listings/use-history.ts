import { useInfiniteQuery } from '@tanstack/react-query';
import { historyQuery } from '../../api/queries';
import type { HistoryEntry } from '../../api/types';

/**
 * Loads the listing's history, newest first. The query key contains the version, so the history is loaded
 * again after each change.
 */
export function useHistory(id: string, version: number) {
  const query = useInfiniteQuery(historyQuery(id, version));
  const { error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const data: HistoryEntry[] | undefined = query.data?.pages.flatMap((page) => page.data);
  return { data, error, refetch, isPlaceholderData: false, hasNextPage, isFetchingNextPage, fetchNextPage };
}
