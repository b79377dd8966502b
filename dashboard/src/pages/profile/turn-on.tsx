import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Download } from 'lucide-react';
import { useRef, useState } from 'react';
import { encode } from 'uqr';
import type { Session, TwoFactor as TwoFactorSetup } from '../../api/admin';
import { request } from '../../api/client';
import { queryClient, sessionQuery } from '../../api/queries';
import { saveFile } from '../../lib/save-file';
import { useForm } from '../../lib/use-form';
import { CopyIcon } from '../../parts/copy-button';
import { FormDialog } from '../../parts/dialogs';
import { Secret } from '../../parts/secret';

interface TurnOnProps {
  /** The secret to scan; undefined while the dialog is closed. */
  setup: TwoFactorSetup | undefined;
  onClose: () => void;
}

/** Turns on two-step sign-in after a code has proved that the user's app has the secret. */
export function TurnOn({ setup, onClose }: TurnOnProps) {
  const [isVerified, setVerified] = useState(false);
  const form = useForm({ code: '' });
  const close = () => {
    setVerified(false);
    onClose();
  };
  const verify = async () => {
    const body = { code: form.values.code.trim() };
    const session = await request<Session>('POST', '/admin/auth/two-factor/verify-totp', { body });
    setVerified(true);
    queryClient.setQueryData(sessionQuery.queryKey, session);
  };
  const uri = setup?.totpURI ?? '';
  return (
    <FormDialog
      title={isVerified ? 'Two-step sign-in is on' : 'Scan this with your authenticator app'}
      form={form}
      isOpen={setup !== undefined}
      onClose={close}
      action="Turn on"
      onSubmit={verify}
      result={isVerified && setup ? <RecoveryCodes codes={setup.backupCodes} onDone={close} /> : undefined}
    >
      <QrCode text={uri} />
      <TotpSecret text={URL.parse(uri)?.searchParams.get('secret') ?? ''} />
      <TextInput
        label="Code"
        description="The six-digit code from the app."
        data-autofocus
        autoComplete="one-time-code"
        inputMode="numeric"
        {...form.bind('code')}
      />
    </FormDialog>
  );
}

export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const description = (
    <>
      Store these recovery codes where you can find them without your phone. Each one works once.{' '}
      <strong>You won’t be able to see them again.</strong>
    </>
  );
  const text = codes.join('\n');
  return (
    <Secret text={text} description={description} onDone={onDone}>
      <Group>
        <Button
          leftSection={<Download size={16} />}
          onClick={() => saveFile(new Blob([text, '\n'], { type: 'text/plain' }), 'recovery-codes.txt')}
        >
          Download
        </Button>
      </Group>
    </Secret>
  );
}

/** The QR code's secret in readable form. */
function TotpSecret({ text }: { text: string }) {
  const shown = useRef<HTMLElement>(null);
  const groups = text.match(/.{1,4}/g) ?? [];
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Can’t scan it? Enter this key:
        </Text>
        <CopyIcon text={text} shown={shown} label="Copy the key" />
      </Group>
      <code className="secret-inline" ref={shown}>
        {groups.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: their order never changes
          <span key={index}>{group}</span>
        ))}
      </code>
    </Stack>
  );
}

/** A QR code. It is black on white in both themes, as scanners expect. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className="qr" role="img" aria-label="QR code for your authenticator app">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
