import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { queryClient, sessionQuery } from '../api/queries';
import { endWork, orTell, putAccount } from './leave';
import { beginSession, type Present } from './session';

interface AccountChangedProps {
  /** What the page below shows. */
  shown: Present;
  /** What the session is by now. */
  now: Present;
}

/**
 * Another window of the browser changed the account that all of them work in. The page stays as it is, with what was
 * typed, until somebody has said where to go on.
 */
export function AccountChanged({ shown, now }: AccountChangedProps) {
  const navigate = useNavigate();
  const canGoBack = now.accounts.some(({ id }) => id === shown.account.id);

  const goBack = () =>
    orTell(async () => {
      queryClient.setQueryData(sessionQuery.queryKey, await putAccount(shown.account.id));
      // What was asked for meanwhile was refused.
      void queryClient.invalidateQueries();
    });
  const goOn = () =>
    orTell(async () => {
      await endWork();
      await navigate({ to: '/' });
      beginSession(now);
    });

  return (
    <Modal opened onClose={() => undefined} title="You changed the account in another window" size={560}>
      <Stack>
        <Text size="sm">
          This page is about <Name of={shown} />, but you work in <Name of={now} /> now. Nothing was done here since;
          what you have typed is still there.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={goOn} maw="100%">
            Go to {now.account.name}
          </Button>
          {canGoBack && (
            <Button onClick={goBack} data-autofocus maw="100%">
              Stay in {shown.account.name}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function Name({ of: { account } }: { of: Present }) {
  return <bdi style={{ fontWeight: 600 }}>{account.name}</bdi>;
}
