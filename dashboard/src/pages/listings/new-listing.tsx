import type { Listing } from '../../api/admin';
import { request } from '../../api/client';
import { keepListing } from '../../api/queries';
import { notify } from '../../lib/notify';
import { Page } from '../../parts/page';
import { BackLink, useLeave } from './back';
import { toCreation } from './draft';
import { ListingForm } from './listing-form';
import { useDraft } from './use-draft';

const BLANK: Partial<Listing> = { status: 'active' };

export function NewListingPage() {
  const leave = useLeave();
  const { base, draft, sent, isFromBefore, write, forget } = useDraft('new', BLANK);
  const create = async () => {
    const creation = toCreation(draft);
    const body = JSON.stringify(creation);
    // If the response is lost, saving again with the same key does not create another listing.
    const key = sent?.body === body ? sent.key : createKey();
    write({ base, draft, sent: { body, key } });
    const headers = { 'Idempotency-Key': key };
    const listing = await request<Listing>('POST', '/admin/listings', { body: creation, headers });
    forget();
    await keepListing(listing);
    notify('Listing created.');
    leave();
  };
  return (
    <Page title="New listing" above={<BackLink />} description="Only address, beds, and baths are required.">
      <ListingForm
        draft={draft}
        onChange={(next) => write({ base, draft: next, sent })}
        action="Create listing"
        onSubmit={create}
        isRestored={isFromBefore}
        onDiscard={forget}
        onCancel={leave}
      />
    </Page>
  );
}

/** Creates a random key. `crypto.randomUUID` exists only on HTTPS and `localhost`. */
function createKey(): string {
  return crypto.getRandomValues(new BigUint64Array(2)).join('-');
}
