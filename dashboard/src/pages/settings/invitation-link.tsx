import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import type { CreatedInvitation } from '../../api/types';
import { CopyButton } from '../../parts/copy-button';

interface InvitationLinkProps {
  invitation: CreatedInvitation;
  onDone: () => void;
}

/** The link of an invitation, this once. */
export function InvitationLink({ invitation: { email, url, isMailed }, onDone }: InvitationLinkProps) {
  const shown = useRef<HTMLElement>(null);
  return (
    <Stack>
      <Text size="sm">
        {isMailed ? 'The link was mailed to ' : 'Nothing was mailed: send this link yourself to '}
        <bdi>{email}</bdi>. {isMailed ? 'Here it is, too: it' : 'It'} works once, for seven days, and will not be shown
        again.
      </Text>
      <code className="secret" ref={shown}>
        {url}
      </code>
      {isOfThisMachine(url) && (
        <Alert variant="light" color="yellow" title="This link works on this machine only">
          Set <Code>PUBLIC_URL</Code> to the address at which others reach the service, then make a new link.
        </Alert>
      )}
      <Group justify="space-between">
        <Group gap="sm">
          <CopyButton text={url} shown={shown} />
        </Group>
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

/** Of an invitation that has got another link; it is closed while there is none. */
export function NewInvitationLink({
  invitation,
  onDone,
}: {
  invitation: CreatedInvitation | undefined;
  onDone: () => void;
}) {
  return (
    <Modal opened={invitation !== undefined} onClose={onDone} title="New link">
      {invitation !== undefined && <InvitationLink invitation={invitation} onDone={onDone} />}
    </Modal>
  );
}

function isOfThisMachine(url: string): boolean {
  return /^(127\.[\d.]+|localhost|.*\.localhost|\[::1\])$/.test(new URL(url).hostname);
}
