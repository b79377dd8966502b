import { request } from '../../api/client';
import { keepListing } from '../../api/queries';
import type { Listing } from '../../api/types';
import { notify } from '../../lib/notify';
import { Page } from '../../parts/page';
import { BackLink, useLeave } from './back';
import { toCreation } from './draft';
import { ListingForm } from './listing-form';
import { useDraft } from './use-draft';

const BLANK: Partial<Listing> = { status: 'active' };

export function NewListingPage() {
  const leave = useLeave();
  const { base, draft, isFromBefore, write, forget } = useDraft('new', BLANK);
  const create = async () => {
    const listing = await request<Listing>('POST', '/admin/listings', { body: toCreation(draft) });
    forget();
    await keepListing(listing);
    notify('Listing created.');
    leave();
  };
  return (
    <Page title="New listing" above={<BackLink />} description="Only address, beds, and baths are required.">
      <ListingForm
        draft={draft}
        onChange={(next) => write({ base, draft: next })}
        action="Create listing"
        onSubmit={create}
        isRestored={isFromBefore}
        onDiscard={forget}
        onCancel={leave}
      />
    </Page>
  );
}
