import { Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/client';
import { queryClient, signInsQuery } from '../../api/queries';
import type { SignIn } from '../../api/types';
import { tellFailure } from '../../lib/notes';
import { LoadedCard } from '../../parts/loaded';
import { Section } from '../../parts/page';
import { Time } from '../../parts/time';
import { describeBrowser } from './browsers';

/** Where somebody is signed in; each can be ended. */
export function SignIns() {
  const query = useQuery(signInsQuery);
  return (
    <Section
      title="Where you are signed in"
      description="End what you do not know, and change your password then."
      actions={
        <Button variant="default" size="xs" onClick={() => end('revoke-other-sessions', {})}>
          Sign out everywhere else
        </Button>
      }
    >
      <LoadedCard query={query} count={2}>
        {(signIns) => <SignInTable signIns={signIns} />}
      </LoadedCard>
    </Section>
  );
}

function SignInTable({ signIns }: { signIns: SignIn[] }) {
  return (
    <div className="table-wrap">
      <table className="table" aria-label="Where you are signed in">
        <thead>
          <tr>
            <th scope="col">Browser</th>
            <th scope="col" className="from-medium">
              From
            </th>
            <th scope="col">Since</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {signIns.map(({ id, isCurrent, createdAt, ipAddress, userAgent }) => (
            <tr key={id}>
              <td className="wide">
                {describeBrowser(userAgent ?? '')}{' '}
                {isCurrent && (
                  <Badge variant="default" size="sm" tt="none">
                    This one
                  </Badge>
                )}
                <Text size="xs" c="dimmed" className="until-medium">
                  {ipAddress}
                </Text>
              </td>
              <td className="from-medium">
                <code>{ipAddress}</code>
              </td>
              <td className="nowrap">
                <Time at={createdAt} />
              </td>
              <td className="end">
                {!isCurrent && (
                  <Button size="compact-sm" variant="default" onClick={() => end('revoke-session', { id })}>
                    End
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function end(verb: string, body: object): Promise<void> {
  try {
    await request('POST', `/admin/auth/${verb}`, { body });
  } catch (error) {
    tellFailure('The sign-in was not ended', error);
  }
  await queryClient.invalidateQueries({ queryKey: signInsQuery.queryKey });
}
