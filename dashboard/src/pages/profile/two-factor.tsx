import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { queryClient, sessionQuery } from '../../api/queries';
import type { RecoveryCodes, Session, TwoFactorSetup } from '../../api/types';
import { Section } from '../../parts/page';
import { usePresent } from '../../shell/session';
import { PasswordDialog } from './password-dialog';
import { ShowRecoveryCodes } from './recovery-codes';
import { TurnOn } from './turn-on';

/** What asks for the password once more. */
type Question = 'turn-on' | 'turn-off' | 'renew';

/** Two-step sign-in: a code of an app besides the password. */
export function TwoFactor() {
  const { user } = usePresent();
  const [question, setQuestion] = useState<Question>();
  const [enrolment, setEnrolment] = useState<TwoFactorSetup>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setQuestion(undefined);

  return (
    <Section
      title="Two-step sign-in"
      description="After the password, a code from an authenticator app: a stolen password alone is worth nothing then."
    >
      <div className="card form-section">
        {user.hasTwoFactor ? <IsOn onAsk={setQuestion} /> : <IsOff onAsk={setQuestion} />}
      </div>
      {/* Not within what stands there while it is on or off: news of the session must close no dialog that shows a secret. */}
      <PasswordDialog<TwoFactorSetup>
        title="Turn two-step sign-in on"
        verb="two-factor/enable"
        isOpen={question === 'turn-on'}
        onClose={close}
        onDone={setEnrolment}
      />
      <PasswordDialog<Session>
        title="Turn two-step sign-in off"
        verb="two-factor/disable"
        asksCode
        isOpen={question === 'turn-off'}
        onClose={close}
        onDone={(session) => queryClient.setQueryData(sessionQuery.queryKey, session)}
      />
      <PasswordDialog<RecoveryCodes>
        title="New recovery codes"
        verb="two-factor/generate-backup-codes"
        asksCode
        isOpen={question === 'renew'}
        onClose={close}
        onDone={({ backupCodes }) => setCodes(backupCodes)}
      />
      <TurnOn
        uri={enrolment?.totpURI}
        recoveryCodes={enrolment?.backupCodes ?? []}
        onClose={() => setEnrolment(undefined)}
      />
      <ShowRecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
    </Section>
  );
}

function IsOff({ onAsk }: { onAsk: (question: Question) => void }) {
  return (
    <Group justify="space-between">
      <Text size="sm">It is off.</Text>
      <Button variant="default" onClick={() => onAsk('turn-on')}>
        Turn on
      </Button>
    </Group>
  );
}

function IsOn({ onAsk }: { onAsk: (question: Question) => void }) {
  return (
    <Group justify="space-between">
      <Badge variant="light" tt="none" size="lg">
        It is on
      </Badge>
      <Group gap="xs">
        <Button variant="default" onClick={() => onAsk('renew')}>
          New recovery codes
        </Button>
        <Button variant="default" onClick={() => onAsk('turn-off')}>
          Turn off
        </Button>
      </Group>
    </Group>
  );
}
