import { Badge, Button, Group, Modal } from '@mantine/core';
import { useState } from 'react';
import { queryClient, sessionQuery } from '../../api/queries';
import type { RecoveryCodes as Codes, Session, TwoFactorSetup } from '../../api/types';
import { SECRET } from '../../parts/dialogs';
import { Section } from '../../parts/page';
import { useSession } from '../../shell/session';
import { PasswordDialog } from './password-dialog';
import { RecoveryCodes, TurnOn } from './turn-on';

export function TwoFactor() {
  const { hasTwoFactor } = useSession().user;
  /** The action for which the user is entering the password. */
  const [asking, setAsking] = useState<'turn-on' | 'turn-off' | 'renew'>();
  const [setup, setSetup] = useState<TwoFactorSetup>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setAsking(undefined);
  const closeCodes = () => setCodes(undefined);

  return (
    <Section
      title="Two-step sign-in"
      description="Asks for a code from an authenticator app after your password. Protects your account even if your password is stolen."
    >
      <Group className="card form-section" justify="space-between">
        <Badge variant={hasTwoFactor ? 'light' : 'default'} size="lg">
          {hasTwoFactor ? 'Enabled' : 'Disabled'}
        </Badge>
        <Group gap="xs">
          {hasTwoFactor && <Button onClick={() => setAsking('renew')}>New recovery codes</Button>}
          <Button onClick={() => setAsking(hasTwoFactor ? 'turn-off' : 'turn-on')}>
            {hasTwoFactor ? 'Turn off' : 'Turn on'}
          </Button>
        </Group>
      </Group>
      {/* Always mounted: a new session must not close a dialog that shows a secret. */}
      <PasswordDialog<TwoFactorSetup>
        title="Turn on two-step sign-in"
        path="two-factor/enable"
        isOpen={asking === 'turn-on'}
        onClose={close}
        onDone={setSetup}
      />
      <PasswordDialog<Session>
        title="Turn off two-step sign-in"
        path="two-factor/disable"
        needsCode
        isOpen={asking === 'turn-off'}
        onClose={close}
        onDone={(session) => queryClient.setQueryData(sessionQuery.queryKey, session)}
      />
      <PasswordDialog<Codes>
        title="New recovery codes"
        path="two-factor/generate-backup-codes"
        needsCode
        isOpen={asking === 'renew'}
        onClose={close}
        onDone={({ backupCodes }) => setCodes(backupCodes)}
      />
      <TurnOn setup={setup} onClose={() => setSetup(undefined)} />
      <Modal opened={codes !== undefined} onClose={closeCodes} title="New recovery codes" {...SECRET}>
        <RecoveryCodes codes={codes ?? []} onDone={closeCodes} />
      </Modal>
    </Section>
  );
}
