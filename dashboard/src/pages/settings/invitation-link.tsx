import { Alert, Code } from '@mantine/core';
import type { CreatedInvitation } from '../../api/types';
import { Secret } from '../../parts/secret';

interface InvitationLinkProps {
  invitation: CreatedInvitation;
  onDone: () => void;
}

export function InvitationLink({ invitation: { email, url, isMailed }, onDone }: InvitationLinkProps) {
  const address = <bdi>{email}</bdi>;
  const description = (
    <>
      {isMailed ? (
        <>We emailed a link to {address}. You can also send this link to the same invitation yourself.</>
      ) : (
        <>Email isn’t set up. Send this link to {address} yourself.</>
      )}{' '}
      This link works once, within seven days. You won’t be able to see it again.
    </>
  );
  return (
    <Secret text={url} description={description} onDone={onDone}>
      {isLocal(url) && (
        <Alert variant="light" color="yellow" title="This link works on this machine only">
          Set <Code>PUBLIC_URL</Code> to the service’s public address, restart the service, then create a new link.
        </Alert>
      )}
    </Secret>
  );
}

function isLocal(url: string): boolean {
  return /^(127\.[\d.]+|localhost|.*\.localhost|\[::1\])$/.test(new URL(url).hostname);
}
