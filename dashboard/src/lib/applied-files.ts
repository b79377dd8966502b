import { getShown, isShown } from '../api/shown';

/** The number of files that are being applied to feeds. */
let count = 0;

export function isApplyingFile(): boolean {
  return count > 0;
}

/**
 * Applies a file to a feed with `send`, and passes the run to `finish`. Until both end, the user cannot leave the
 * account, even on other pages. If the session ends and another user signs in, `finish` is not called, because
 * its requests would be sent for the other user's account.
 */
export async function applyFile<Run>(
  send: () => Promise<Run | undefined>,
  finish: (run: Run) => Promise<void>,
): Promise<void> {
  const owner = getShown();
  count += 1;
  try {
    const run = await send();
    if (run !== undefined && isShown(owner)) await finish(run);
  } finally {
    count -= 1;
  }
}
