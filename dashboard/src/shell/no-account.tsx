import { Button, Group, Text } from '@mantine/core';
import { Building2 } from 'lucide-react';
import type { Session } from '../api/types';
import { EmptyState } from '../parts/states';
import { useChooseAccount, useSignOut } from './leave';

/** Somebody who does not belong any more to the account that they worked in. */
export function NoAccount({ session: { user, accounts } }: { session: Session }) {
  const choose = useChooseAccount();
  const signOut = useSignOut();
  const way = (
    <Button variant="default" onClick={signOut}>
      Sign out
    </Button>
  );
  return (
    <main>
      {accounts.length === 0 ? (
        <EmptyState icon={<Building2 size={22} />} title="You are in no account" action={way}>
          Ask an administrator to invite <Text component="bdi">{user.email}</Text>, then follow the link in the
          invitation.
        </EmptyState>
      ) : (
        <EmptyState
          icon={<Building2 size={22} />}
          title="Choose an account"
          action={
            <>
              <Group gap="xs" justify="center">
                {accounts.map(({ id, name }) => (
                  <Button key={id} onClick={() => choose(id)}>
                    <bdi>{name}</bdi>
                  </Button>
                ))}
              </Group>
              {way}
            </>
          }
        >
          You do not belong any more to the account that you worked in.
        </EmptyState>
      )}
    </main>
  );
}
