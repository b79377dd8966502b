import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { encode } from 'uqr';
import { request } from '../../api/client';
import { useFaults } from '../../lib/faults';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { RecoveryCodes } from './recovery-codes';

interface TurnOnProps {
  /** None while it is closed. */
  uri: string | undefined;
  recoveryCodes: string[];
  onClose: () => void;
}

/** The app learns the secret from the picture, then proves it with a code; only then is it on. */
export function TurnOn({ uri, recoveryCodes, onClose }: TurnOnProps) {
  const [isProven, setProven] = useState(false);
  const close = () => {
    setProven(false);
    onClose();
  };
  return (
    <Modal
      opened={uri !== undefined}
      onClose={close}
      title={isProven ? 'Two-step sign-in is on' : 'Scan this with your authenticator app'}
    >
      {isProven ? (
        <Stack>
          <RecoveryCodes codes={recoveryCodes} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Done
            </Button>
          </Group>
        </Stack>
      ) : (
        <Prove uri={uri ?? ''} onCancel={onClose} onProven={() => setProven(true)} />
      )}
    </Modal>
  );
}

function Prove({ uri, onCancel, onProven }: { uri: string; onCancel: () => void; onProven: () => void }) {
  const [code, setCode] = useState('');
  const { faults, isBusy, submit } = useFaults((field) => field === 'code');
  const verify = () =>
    submit(async () => {
      await request('POST', '/admin/auth/two-factor/verify-totp', { body: { code: code.trim() } });
      onProven();
    });
  return (
    <Form onSubmit={verify}>
      <Stack>
        <QrCode text={uri} />
        <Text size="sm" c="dimmed">
          No camera? Type this in: <code className="secret-inline">{URL.parse(uri)?.searchParams.get('secret')}</code>
        </Text>
        <FormError>{faults.general}</FormError>
        <TextInput
          label="Code"
          description="The six digits that the app shows now."
          data-autofocus
          autoComplete="one-time-code"
          inputMode="numeric"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          error={faults.fields.code}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Turn on
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** Black on white in both themes: cameras want it so. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className="qr"
      role="img"
      aria-label="A picture for your authenticator app to scan"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
