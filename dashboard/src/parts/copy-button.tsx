import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { copyText, selectContents } from '../lib/clipboard';

/** How long the button says "Copied". */
const COPIED_MS = 2_000;

type CopyState = 'ready' | 'copied' | 'failed';

interface CopyProps {
  text: string;
  /** The element that contains the text. The text is selected if the clipboard is not available. */
  shown: RefObject<HTMLElement | null>;
  /** Called when the text has been copied or selected. */
  onCopied?: () => void;
}

function useCopy({ text, shown, onCopied }: CopyProps) {
  const [state, setState] = useState<CopyState>('ready');
  const copy = async () => {
    const isCopied = await copyText(text);
    onCopied?.();
    if (isCopied) {
      setState('copied');
      setTimeout(() => setState('ready'), COPIED_MS);
      return;
    }
    setState('failed');
    selectContents(shown.current);
  };
  const icon = state === 'copied' ? <Check size={16} /> : <Copy size={16} />;
  return { state, isCopied: state === 'copied', copy, icon };
}

/** The main button of a dialog. It gets the focus when it appears. */
export function CopyButton(props: CopyProps) {
  const { state, isCopied, copy, icon } = useCopy(props);
  return (
    <>
      <Button data-autofocus autoFocus onClick={copy} leftSection={icon} variant={isCopied ? 'light' : 'filled'}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
      <CopyNote state={state} />
    </>
  );
}

export function CopyIcon({ label, ...props }: CopyProps & { label: string }) {
  const { state, isCopied, copy, icon } = useCopy(props);
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end" flex={1}>
      <CopyNote state={state} />
      <Tooltip label={isCopied ? 'Copied' : label}>
        <ActionIcon variant="default" onClick={copy} aria-label={label}>
          {icon}
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** A short string with a button to copy it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const shown = useRef<HTMLElement>(null);
  const { state, isCopied, copy, icon } = useCopy({ text, shown });
  return (
    <Group gap={4} wrap="nowrap" component="span">
      <code ref={shown}>{text}</code>
      <Tooltip label={isCopied ? 'Copied' : label}>
        <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={label}>
          {icon}
        </ActionIcon>
      </Tooltip>
      <CopyNote state={state} />
    </Group>
  );
}

/** A block of text with a button to copy it. */
export function CopyBlock({ text, label, title }: { text: string; label: string; title: string }) {
  const shown = useRef<HTMLElement>(null);
  return (
    <section>
      <Group mb={6} wrap="nowrap">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <CopyIcon text={text} shown={shown} label={label} />
      </Group>
      <code className="secret" ref={shown}>
        {text}
      </code>
    </section>
  );
}

/** A message that screen readers read. It is visible only if the user has to copy the text with the keyboard. */
function CopyNote({ state }: { state: CopyState }) {
  return (
    <Text size="sm" role="status" c="dimmed" className={state === 'copied' ? 'visually-hidden' : undefined}>
      {state === 'failed' && 'The clipboard isn’t available. The text is selected: press Ctrl+C, or ⌘C on a Mac.'}
      {state === 'copied' && 'Copied to the clipboard.'}
    </Text>
  );
}
