import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Listing } from '../../api/types';
import { focusPage, showNote } from '../../lib/focus';
import type { Draft } from './draft';
import { findChanges } from './merge';

interface ConflictProps {
  draft: Draft;
  /** What the draft began with. */
  base: Listing;
  /** What the listing is by now. */
  theirs: Listing;
  onMerge: () => void;
  onDiscard: () => void;
}

/** Somebody else was faster: what they changed, and what can be done with what was typed. */
export function Conflict({ draft, base, theirs, onMerge, onDiscard }: ConflictProps) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => showNote(note.current), []);
  const and = (work: () => void) => () => {
    work();
    focusPage();
  };
  return (
    <Alert
      ref={note}
      tabIndex={-1}
      role="alert"
      color="yellow"
      variant="light"
      title="Somebody changed this listing meanwhile"
    >
      <Text size="sm">Nothing of yours was saved, and nothing of it is lost. They changed:</Text>
      <ul className="changes">
        {findChanges(draft, base, theirs).map(({ label, theirs: value, isBoth }) => (
          <li key={label}>
            {label}
            {value !== undefined && (
              <>
                , now <bdi>{value === '' ? 'not given' : value}</bdi>
              </>
            )}
            {isBoth && <b> – you changed it, too</b>}
          </li>
        ))}
      </ul>
      <Text size="sm" mb="sm">
        Keep your changes to see them over that version, then save. Discard them to lose what you typed.
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={and(onMerge)}>
          Keep my changes
        </Button>
        <Button size="xs" variant="default" onClick={and(onDiscard)}>
          Discard my changes
        </Button>
      </Group>
    </Alert>
  );
}
