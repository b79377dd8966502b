import { Badge, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/client';
import { refresh, sessionsQuery } from '../../api/queries';
import type { SessionInfo } from '../../api/types';
import { attempt } from '../../lib/notify';
import { timeColumn } from '../../parts/columns';
import { type Column, Subline } from '../../parts/data-table';
import { Section } from '../../parts/page';
import { TableList } from '../../parts/table-list';
import { Time } from '../../parts/time';
import { describeBrowser } from './browsers';

const COLUMNS: Column<SessionInfo>[] = [
  { label: 'Browser', cell: (session) => <Browser session={session} /> },
  { label: 'IP address', width: 200, from: 'medium', cell: ({ ipAddress }) => <code>{ipAddress}</code> },
  timeColumn('Signed in', 'createdAt', { from: 'small' }),
];

export function Sessions() {
  const query = useQuery({ ...sessionsQuery, select: (data) => ({ data }) });
  return (
    <Section
      title="Sessions"
      description="Don’t recognize a session? End it and change your password."
      actions={
        <Button size="xs" onClick={() => end('revoke-other-sessions', {})}>
          End all other sessions
        </Button>
      }
    >
      <TableList
        label="Sessions"
        query={query}
        count={2}
        columns={COLUMNS}
        actionsWidth={70}
        actions={({ id, isCurrent }) =>
          !isCurrent && (
            <Button size="compact-sm" onClick={() => end('revoke-session', { id })}>
              End
            </Button>
          )
        }
      />
    </Section>
  );
}

function Browser({ session: { createdAt, isCurrent, ipAddress, userAgent } }: { session: SessionInfo }) {
  return (
    <>
      {describeBrowser(userAgent ?? '')} {isCurrent && <Badge>Current session</Badge>}
      <Subline isNarrow>
        {ipAddress} · signed in <Time at={createdAt} />
      </Subline>
    </>
  );
}

async function end(verb: string, body: object): Promise<void> {
  await attempt('The session could not be ended', () => request('POST', `/admin/auth/${verb}`, { body }));
  await refresh(sessionsQuery);
}
