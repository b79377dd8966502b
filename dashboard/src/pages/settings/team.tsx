import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { invitationsQuery, membersQuery } from '../../api/queries';
import type { CreatedInvitation } from '../../api/types';
import { Page, Section } from '../../parts/page';
import { ErrorState, LoadingRows } from '../../parts/states';
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
      <div className="card" style={{ marginBottom: 36 }}>
        {members.data === undefined && members.error === null && <LoadingRows count={3} />}
        {members.error !== null && <ErrorState error={members.error} onRetry={members.refetch} />}
        {members.data !== undefined && <MemberTable members={members.data.data} />}
      </div>
      {invitations.error !== null && (
        <div className="card">
          <ErrorState error={invitations.error} onRetry={invitations.refetch} />
        </div>
      )}
      {invitations.data !== undefined && invitations.data.data.length > 0 && (
        <Section
          title="Invitations"
          description="Not accepted yet. A link works once, for seven days; a new one ends the one before."
        >
          <div className="card">
            <InvitationTable invitations={invitations.data.data} onRenewed={setRenewed} />
          </div>
        </Section>
      )}
      <NewInvitationLink invitation={renewed} onDone={() => setRenewed(undefined)} />
      <Invite isOpen={isInviting} onClose={inviting.close} />
    </Page>
  );
}
