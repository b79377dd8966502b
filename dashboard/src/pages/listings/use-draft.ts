import { useMemo, useState } from 'react';
import type { Listing } from '../../api/types';
import { forgetDraft, keepDraft, readDraft } from '../../lib/kept-drafts';
import { usePresent } from '../../shell/session';
import { type Draft, isSameDraft, toDraft, withNewIds } from './draft';

/** A draft, and what it began with: what differs from that is sent. */
interface Written<Base> {
  base: Base;
  draft: Draft;
}

/**
 * A listing as it is being written. What was typed stays in this tab of the browser until it is saved or given up: going
 * back, another page, a reload or the end of the session lose nothing.
 */
export function useDraft<Base extends Partial<Listing>>(page: string, loaded: Base) {
  const { user, account } = usePresent();
  const name = `${user.id} ${account.id} ${page}`;
  const [kept, setKept] = useState(() => readDraft<Written<Base>>(name));
  const [written, setWritten] = useState(() => kept && { ...kept, draft: withNewIds(kept.draft) });
  const begun = useMemo(() => ({ base: loaded, draft: toDraft(loaded) }), [loaded]);

  const write = (next: Written<Base>) => {
    const isUntouched = isSameDraft(next.draft, toDraft(next.base));
    if (isUntouched) forgetDraft(name);
    else keepDraft(name, next);
    setWritten(isUntouched ? undefined : next);
  };
  const forget = () => {
    forgetDraft(name);
    setKept(undefined);
    setWritten(undefined);
  };
  return { ...(written ?? begun), isFromBefore: kept !== undefined, write, forget };
}
