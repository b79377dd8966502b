import { Button, Text } from '@mantine/core';
import { Building2 } from 'lucide-react';
import type { Session } from '../api/admin';
import { EmptyState } from '../parts/states';
import { useChooseAccount, useSignOut } from './leave';

/** Shown to users without a current account, for example because they were removed from the one they had chosen. */
export function NoAccount({ session: { user, accounts } }: { session: Session }) {
  const choose = useChooseAccount();
  const signOut = useSignOut();
  return (
    <main>
      <EmptyState
        icon={Building2}
        title={accounts.length === 0 ? 'You aren’t a member of any account' : 'Choose an account'}
        action={
          <>
            {accounts.map(({ id, name }) => (
              <Button variant="filled" key={id} onClick={() => choose(id)}>
                <bdi>{name}</bdi>
              </Button>
            ))}
            <Button onClick={signOut}>Sign out</Button>
          </>
        }
      >
        {accounts.length === 0 ? (
          <>
            Ask an administrator to invite <Text component="bdi">{user.email}</Text>, then open the link in the
            invitation.
          </>
        ) : (
          'You may have been removed from the account that you last used.'
        )}
      </EmptyState>
    </main>
  );
}
