import { useState } from 'react';
import type { FeedPlan, FeedRun } from '../../api/admin';
import { ApiError, type UploadQuery } from '../../api/client';
import { feedPath, feedsQuery, refresh, refreshListings } from '../../api/queries';
import { upload } from '../../api/upload';
import { applyFile } from '../../lib/applied-files';
import { type FileColumn, proposeTargets, readFileColumns, type Targets, toMap, toMapQuery } from '../../lib/columns';
import { describeError } from '../../lib/errors';
import { typeOf } from '../../lib/file-rows';

interface FeedFile {
  file?: File | undefined;
  /** Undefined while the file's columns are being read. */
  columns?: FileColumn[] | undefined;
  targets: Targets;
  plan?: FeedPlan | undefined;
  /** The parameters that the plan was made with. */
  planned?: string | undefined;
  error?: string | undefined;
  /** How much of the file has been sent, from 0 to 1; undefined if nothing is being sent. */
  progress?: number | undefined;
}

const NOTHING: FeedFile = { targets: {} };

/**
 * Manages a file that is first checked, and then sent to a feed exactly as it was checked. `stored` is the
 * mapping in the feed's settings.
 */
export function useFeedFile(
  name: string,
  parameters: UploadQuery,
  stored: Targets,
  onDone: (run: FeedRun) => Promise<void>,
) {
  const [state, setState] = useState(NOTHING);
  const [aborter, setAborter] = useState<AbortController>();
  const { file, columns = [], targets } = state;
  const shown = JSON.stringify(parameters);
  const plan = state.planned === shown ? state.plan : undefined;
  const change = (changes: Partial<FeedFile>) => setState((before) => ({ ...before, ...changes }));

  async function choose(chosen: File | undefined): Promise<void> {
    setState({ ...NOTHING, file: chosen });
    if (chosen === undefined) return;
    const { columns: read = [], error } = await readFileColumns(chosen);
    const next = { file: chosen, columns: read, error, targets: proposeTargets(read, stored) };
    // The user may have chosen another file in the meantime.
    setState((before) => (before.file === chosen ? next : before));
  }

  async function send<T>(query: UploadQuery): Promise<T | undefined> {
    if (file === undefined) return undefined;
    const own = new AbortController();
    setAborter(own);
    change({ error: undefined, progress: 0 });
    try {
      return await upload<T>({
        method: 'PUT',
        path: feedPath(name),
        query: { ...parameters, ...toMapQuery({ columns, targets }), map: mapOf(), ...query },
        file,
        type: typeOf(file),
        onProgress: (progress) => change({ progress }),
        signal: own.signal,
      });
    } catch (error) {
      if (!(error instanceof ApiError)) reportError(error);
      change({ plan: undefined, error: describeError(error) });
      return undefined;
    } finally {
      change({ progress: undefined });
    }
  }

  /**
   * The mapping to send. It includes every stored column, because the service adds a run's mapping to the
   * stored one. A stored column that this file lacks is skipped.
   */
  function mapOf(): Targets {
    const kept = Object.keys(stored).map((column) => [column, targets[column] ?? '']);
    return { ...Object.fromEntries(kept), ...toMap({ columns, targets }) };
  }

  async function check(): Promise<void> {
    change({ plan: undefined });
    change({ plan: await send<FeedPlan>({ dryRun: 'true' }), planned: shown });
  }

  async function sendPlanned(): Promise<FeedRun | undefined> {
    const run = plan && (await send<FeedRun>({ plan: plan.planId }));
    void refresh(feedsQuery);
    void refreshListings();
    return run;
  }

  return {
    ...state,
    plan,
    choose,
    map: (changed: Targets) => change({ targets: changed, plan: undefined }),
    check,
    apply: () => applyFile(sendPlanned, onDone),
    stop: () => aborter?.abort(),
  };
}
