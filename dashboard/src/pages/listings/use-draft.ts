import { useMemo, useState } from 'react';
import type { Listing } from '../../api/admin';
import { forgetDraft, keepDraft, readDraft } from '../../lib/kept-drafts';
import { useSession } from '../../shell/session';
import { type Draft, isSameDraft, toDraft, withNewIds } from './draft';

/** A draft, and the version of the listing that the user began to edit. */
interface Written<Base> {
  base: Base;
  draft: Draft;
  /** The last request for the draft, if its response was an error or has been lost. */
  sent?: { body: string; key: string } | undefined;
}

/** Keeps a draft across reloads and expired sessions, until it is saved or discarded. */
export function useDraft<Base extends Partial<Listing>>(page: string, loaded: Base) {
  const { user, account } = useSession();
  const name = `${user.id} ${account.id} ${page}`;
  const [kept, setKept] = useState(() => readDraft<Written<Base>>(name));
  const [written, setWritten] = useState(() => kept && { ...kept, draft: withNewIds(kept.draft) });
  const initial = useMemo((): Written<Base> => ({ base: loaded, draft: toDraft(loaded) }), [loaded]);

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
  return { ...(written ?? initial), isFromBefore: kept !== undefined, write, forget };
}
