import { Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/client';
import { refresh, sessionsQuery } from '../../api/queries';
import type { SessionInfo } from '../../api/types';
import { notifyFailure } from '../../lib/notify';
import { LoadedCard } from '../../parts/loaded';
import { Section } from '../../parts/page';
import { actions, type Column, Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { describeBrowser } from './browsers';

const COLUMNS: Column<SessionInfo>[] = [
  { label: 'Browser', className: 'wide', cell: (session) => <Browser session={session} /> },
  { label: 'IP address', className: 'from-medium', cell: ({ ipAddress }) => <code>{ipAddress}</code> },
  { label: 'Signed in', className: 'nowrap', cell: ({ createdAt }) => <Time at={createdAt} /> },
  actions(
    ({ id, isCurrent }) =>
      !isCurrent && (
        <Button size="compact-sm" variant="default" onClick={() => end('revoke-session', { id })}>
          End
        </Button>
      ),
  ),
];

export function Sessions() {
  const query = useQuery(sessionsQuery);
  return (
    <Section
      title="Sessions"
      description="Don’t recognize a session? End it and change your password."
      actions={
        <Button variant="default" size="xs" onClick={() => end('revoke-other-sessions', {})}>
          End all other sessions
        </Button>
      }
    >
      <LoadedCard query={query} count={2}>
        {(sessions) => <Table label="Sessions" columns={COLUMNS} rows={sessions} />}
      </LoadedCard>
    </Section>
  );
}

function Browser({ session: { isCurrent, ipAddress, userAgent } }: { session: SessionInfo }) {
  return (
    <>
      {describeBrowser(userAgent ?? '')}{' '}
      {isCurrent && (
        <Badge variant="default" size="sm" tt="none">
          Current session
        </Badge>
      )}
      <Text size="xs" c="dimmed" className="until-medium">
        {ipAddress}
      </Text>
    </>
  );
}

async function end(verb: string, body: object): Promise<void> {
  try {
    await request('POST', `/admin/auth/${verb}`, { body });
  } catch (error) {
    notifyFailure('The session could not be ended', error);
  }
  await refresh(sessionsQuery);
}
