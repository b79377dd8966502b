import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';

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
    // The user can copy the selected text with the keyboard.
    if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
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

/**
 * Copies a string to the clipboard. On pages without HTTPS that are not on localhost, browsers offer only a
 * deprecated command.
 * @returns whether the string was copied
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Add the input to an open dialog: outside it, the dialog's focus trap would take the focus back.
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand('copy');
  } catch {
    // There is no clipboard.
  }
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
