import { Stack } from '@mantine/core';
import type { Listing } from '../../api/types';
import { CopyBlock } from '../../parts/copy-button';

export function ListingJson({ listing }: { listing: Listing }) {
  const curl = [`curl ${window.location.origin}/v1/listings/${listing.id}`, `-H "Authorization: Bearer API_KEY"`].join(
    ' \\\n  ',
  );
  return (
    <Stack className="card form-section" gap="lg">
      <CopyBlock title="Request" text={curl} label="Copy the curl command" />
      <CopyBlock title="Response" text={JSON.stringify(listing, undefined, 2)} label="Copy the JSON" />
    </Stack>
  );
}
