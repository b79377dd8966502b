import { Box, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { invitationsQuery, membersQuery } from '../../api/queries';
import type { CreatedInvitation } from '../../api/types';
import { LoadedCard } from '../../parts/loaded';
import { Page, Section } from '../../parts/page';
import { NewInvitationLink } from './invitation-link';
import { InvitationTable } from './invitation-table';
import { Invite } from './invite';
import { MemberTable } from './member-table';

export function TeamPage() {
  const members = useQuery(membersQuery);
  const invitations = useQuery(invitationsQuery);
  const [isInviting, inviting] = useDisclosure();
  const [renewed, setRenewed] = useState<CreatedInvitation>();
  return (
    <Page
      title="Team"
      description="Members work with listings. Administrators also with keys, the team and the settings."
      actions={
        <Button leftSection={<UserPlus size={16} />} onClick={inviting.open}>
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
          description="Not accepted yet. A link works once, for seven days; a new one ends the one before."
        >
          <LoadedCard query={invitations} count={1}>
            {({ data }) => <InvitationTable invitations={data} onRenewed={setRenewed} />}
          </LoadedCard>
        </Section>
      )}
      <NewInvitationLink invitation={renewed} onDone={() => setRenewed(undefined)} />
      <Invite isOpen={isInviting} onClose={inviting.close} />
    </Page>
  );
}
