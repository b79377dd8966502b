import { useState } from 'react';
import { ApiError, type Query, type ValidationIssue } from '../../api/client';
import { feedPath, feedsQuery, refresh, refreshListings } from '../../api/queries';
import type { FeedPlan, FeedRun } from '../../api/types';
import { upload } from '../../api/upload';
import { describeError } from '../../lib/errors';
import { isAboutColumns, typeOf } from '../../lib/running-import';

interface FeedFile {
  file?: File | undefined;
  plan?: FeedPlan | undefined;
  columnIssues?: ValidationIssue[] | undefined;
  error?: string | undefined;
  /** How much of the file has been sent, from 0 to 1; undefined if nothing is being sent. */
  progress?: number | undefined;
}

/** A file that is checked, and then sent to a feed as it was checked. */
export function useFeedFile(name: string, parameters: Query, onDone: (run: FeedRun) => Promise<void>) {
  const [state, setState] = useState<FeedFile>({});
  const [aborter, setAborter] = useState<AbortController>();

  async function send<T>(file: File, query: Query): Promise<T | undefined> {
    const own = new AbortController();
    setAborter(own);
    setState((before) => ({ file, plan: before.plan, progress: 0 }));
    const showProgress = (progress: number) => setState((before) => ({ ...before, progress }));
    try {
      const sent = { ...parameters, ...query };
      return await upload<T>('PUT', feedPath(name), sent, file, typeOf(file), showProgress, own.signal);
    } catch (error) {
      if (!(error instanceof ApiError)) reportError(error);
      setState({
        file,
        ...(isAboutColumns(error) ? { columnIssues: error.details } : { error: describeError(error) }),
      });
      return undefined;
    }
  }

  async function check(file: File): Promise<void> {
    const plan = await send<FeedPlan>(file, { dryRun: 'true' });
    if (plan !== undefined) setState({ file, plan });
  }

  async function apply(): Promise<void> {
    const { file, plan } = state;
    if (file === undefined || plan === undefined) return;
    const run = await send<FeedRun>(file, { plan: plan.planId });
    void refresh(feedsQuery);
    void refreshListings();
    if (run !== undefined) await onDone(run);
  }

  return {
    ...state,
    choose: (file: File | undefined) => setState({ file }),
    check,
    apply,
    stop: () => aborter?.abort(),
  };
}
