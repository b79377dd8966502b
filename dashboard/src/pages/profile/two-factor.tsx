import { Badge, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { queryClient, sessionQuery } from '../../api/queries';
import type { RecoveryCodes, TwoFactorSetup } from '../../api/types';
import { Section } from '../../parts/page';
import { usePresent } from '../../shell/session';
import { PasswordDialog } from './password-dialog';
import { ShowRecoveryCodes } from './recovery-codes';
import { TurnOn } from './turn-on';

/** Two-step sign-in: a code of an app besides the password. */
export function TwoFactor() {
  const { user } = usePresent();
  return (
    <Section
      title="Two-step sign-in"
      description="After the password, a code from an authenticator app: a stolen password alone is worth nothing then."
    >
      <div className="card form-section">{user.hasTwoFactor ? <WhileOn /> : <WhileOff />}</div>
    </Section>
  );
}

function WhileOff() {
  const [isAsking, asking] = useDisclosure();
  const [enrolment, setEnrolment] = useState<TwoFactorSetup>();
  return (
    <Group justify="space-between">
      <Text size="sm">It is off.</Text>
      <Button variant="default" onClick={asking.open}>
        Turn on
      </Button>
      <PasswordDialog<TwoFactorSetup>
        title="Turn two-step sign-in on"
        verb="two-factor/enable"
        isOpen={isAsking}
        onClose={asking.close}
        onDone={setEnrolment}
      />
      <TurnOn
        uri={enrolment?.totpURI}
        recoveryCodes={enrolment?.backupCodes ?? []}
        onClose={() => {
          setEnrolment(undefined);
          void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
        }}
      />
    </Group>
  );
}

function WhileOn() {
  const [isTurningOff, turningOff] = useDisclosure();
  const [isRenewing, renewing] = useDisclosure();
  const [codes, setCodes] = useState<string[]>();
  return (
    <Group justify="space-between">
      <Badge variant="light" tt="none" size="lg">
        It is on
      </Badge>
      <Group gap="xs">
        <Button variant="default" onClick={renewing.open}>
          New recovery codes
        </Button>
        <Button variant="default" onClick={turningOff.open}>
          Turn off
        </Button>
      </Group>
      <PasswordDialog
        title="Turn two-step sign-in off"
        verb="two-factor/disable"
        isOpen={isTurningOff}
        onClose={turningOff.close}
        onDone={() => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })}
      />
      <PasswordDialog<RecoveryCodes>
        title="New recovery codes"
        verb="two-factor/generate-backup-codes"
        isOpen={isRenewing}
        onClose={renewing.close}
        onDone={({ backupCodes }) => setCodes(backupCodes)}
      />
      <ShowRecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
    </Group>
  );
}
