import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { encode } from 'uqr';
import { request } from '../../api/client';
import { queryClient, sessionQuery } from '../../api/queries';
import type { Session } from '../../api/types';
import { type Sending, useFaults } from '../../lib/faults';
import { CopyIcon } from '../../parts/copy-button';
import { DialogForm, FormDialog } from '../../parts/form-dialog';
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
  const sending = useFaults((field) => field === 'code');
  const close = () => {
    setProven(false);
    sending.clear();
    onClose();
  };
  return (
    <FormDialog
      title={isProven ? 'Two-step sign-in is on' : 'Scan this with your authenticator app'}
      isBusy={sending.isBusy}
      isOpen={uri !== undefined}
      onClose={close}
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
        <Prove uri={uri ?? ''} sending={sending} onCancel={close} onProven={() => setProven(true)} />
      )}
    </FormDialog>
  );
}

interface ProveProps {
  uri: string;
  sending: Sending;
  onCancel: () => void;
  onProven: () => void;
}

function Prove({ uri, sending, onCancel, onProven }: ProveProps) {
  const [code, setCode] = useState('');
  const verify = () =>
    sending.submit(async () => {
      const body = { code: code.trim() };
      const session = await request<Session>('POST', '/admin/auth/two-factor/verify-totp', { body });
      onProven();
      queryClient.setQueryData(sessionQuery.queryKey, session);
    });
  return (
    <DialogForm action="Turn on" sending={sending} onSubmit={verify} onCancel={onCancel}>
      <QrCode text={uri} />
      <Secret text={URL.parse(uri)?.searchParams.get('secret') ?? ''} />
      <TextInput
        label="Code"
        description="The six digits that the app shows now."
        data-autofocus
        autoComplete="one-time-code"
        inputMode="numeric"
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
        error={sending.faults.fields.code}
      />
    </DialogForm>
  );
}

/** What the picture says, for those without a camera. */
function Secret({ text }: { text: string }) {
  const shown = useRef<HTMLElement>(null);
  const groups = text.match(/.{1,4}/g) ?? [];
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          No camera? Type or paste this in:
        </Text>
        <CopyIcon text={text} shown={shown} label="Put the text on the clipboard" />
      </Group>
      <code className="secret-inline" ref={shown}>
        {groups.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: their places never change
          <span key={index}>{group}</span>
        ))}
      </code>
    </Stack>
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
