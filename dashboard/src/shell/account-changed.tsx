import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { queryClient, sessionQuery } from '../api/queries';
import { finishWork, orNotify, putAccount } from './leave';
import { type AccountSession, beginSession } from './session';

/** Shown if another window has switched the account. The page stays until the user chooses an account. */
export function AccountChanged({ shown, now }: { shown: AccountSession; now: AccountSession }) {
  const navigate = useNavigate();
  const canGoBack = now.accounts.some(({ id }) => id === shown.account.id);

  const goBack = () =>
    orNotify(async () => {
      queryClient.setQueryData(sessionQuery.queryKey, await putAccount(shown.account.id));
      // Load everything again, because requests since the switch were rejected.
      void queryClient.invalidateQueries();
    });
  const goOn = () =>
    orNotify(async () => {
      await finishWork();
      await navigate({ to: '/' });
      beginSession(now);
    });

  return (
    <Modal opened onClose={() => undefined} title="You switched accounts in another window" size={560}>
      <Stack>
        <Text size="sm">
          This page shows <Name of={shown} />, but your current account is now <Name of={now} />. Nothing was changed,
          and your input is still here.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button onClick={goOn} maw="100%">
            Go to {now.account.name}
          </Button>
          {canGoBack && (
            <Button variant="filled" onClick={goBack} data-autofocus maw="100%">
              Stay in {shown.account.name}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function Name({ of: { account } }: { of: AccountSession }) {
  return <bdi style={{ fontWeight: 600 }}>{account.name}</bdi>;
}
