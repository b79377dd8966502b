import { Box, Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { invitationsQuery, membersQuery } from '../../api/queries';
import type { CreatedInvitation } from '../../api/types';
import { SECRET } from '../../parts/dialogs';
import { LoadedCard } from '../../parts/loaded';
import { Page, Section } from '../../parts/page';
import { InvitationLink } from './invitation-link';
import { InvitationTable } from './invitation-table';
import { Invite } from './invite';
import { MemberTable } from './member-table';

export function TeamPage() {
  const members = useQuery(membersQuery);
  const invitations = useQuery(invitationsQuery);
  const [isInviting, inviting] = useDisclosure();
  const [renewed, setRenewed] = useState<CreatedInvitation>();
  const closeRenewed = () => setRenewed(undefined);
  return (
    <Page
      title="Team"
      description="Members manage listings. Administrators also manage API keys, the team, and settings."
      actions={
        <Button variant="filled" leftSection={<UserPlus size={16} />} onClick={inviting.open}>
          Invite
        </Button>
      }
    >
      <Box mb={36}>
        <LoadedCard query={members} count={3}>
          {({ data }) => <MemberTable members={data} />}
        </LoadedCard>
      </Box>
      {invitations.data?.data.length !== 0 && (
        <Section
          title="Invitations"
          description="Each link works once and expires in seven days. A new link replaces the old one."
        >
          <LoadedCard query={invitations} count={1}>
            {({ data }) => <InvitationTable invitations={data} onRenewed={setRenewed} />}
          </LoadedCard>
        </Section>
      )}
      <Modal opened={renewed !== undefined} onClose={closeRenewed} title="New link" {...SECRET}>
        {renewed && <InvitationLink invitation={renewed} onDone={closeRenewed} />}
      </Modal>
      <Invite isOpen={isInviting} onClose={inviting.close} />
    </Page>
  );
}
