import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { copyText, selectContents } from '../lib/clipboard';

/** How long the button says that it worked. */
const DONE_MS = 2_000;

type CopyState = 'ready' | 'copied' | 'impossible';

function useCopy(text: string, shown: RefObject<HTMLElement | null>) {
  const [state, setState] = useState<CopyState>('ready');
  const copy = async () => {
    if (await copyText(text)) {
      setState('copied');
      setTimeout(() => setState('ready'), DONE_MS);
      return;
    }
    setState('impossible');
    selectContents(shown.current);
  };
  return { state, copy };
}

interface CopyProps {
  text: string;
  /** Where the text stands, to be selected when there is no clipboard. */
  shown: RefObject<HTMLElement | null>;
}

/** What a dialog is for: copies, and says so; where that cannot be, selects the text and says what to press. */
export function CopyButton({ text, shown }: CopyProps) {
  const { state, copy } = useCopy(text, shown);
  return (
    <>
      <Button
        // In a dialog that opens, and in one that goes on: what stood here before had the focus.
        data-autofocus
        autoFocus
        onClick={copy}
        leftSection={state === 'copied' ? <Check size={16} /> : <Copy size={16} />}
        variant={state === 'copied' ? 'light' : 'filled'}
      >
        {state === 'copied' ? 'Copied' : 'Copy'}
      </Button>
      <CopyNote state={state} />
    </>
  );
}

/** The same as an icon, for a second text in one place; `label` says which. */
export function CopyIcon({ text, shown, label }: CopyProps & { label: string }) {
  const { state, copy } = useCopy(text, shown);
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end" flex={1}>
      <CopyNote state={state} />
      <Tooltip label={state === 'copied' ? 'It is on the clipboard' : label}>
        <ActionIcon variant="default" onClick={copy} aria-label={label}>
          {state === 'copied' ? <Check size={16} /> : <Copy size={16} />}
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** Read out by screen readers; seen only when something is left to do. */
function CopyNote({ state }: { state: CopyState }) {
  return (
    <Text size="sm" role="status" c="dimmed" className={state === 'copied' ? 'visually-hidden' : undefined}>
      {state === 'impossible' && 'This browser has no clipboard here. It is selected: press Ctrl+C, or ⌘C on a Mac.'}
      {state === 'copied' && 'It is on the clipboard.'}
    </Text>
  );
}
