import { Button, Group, Text } from '@mantine/core';
import type { Listing } from '../../api/types';
import { focusPage } from '../../lib/focus';
import { Note } from '../../parts/form';
import type { Draft } from './draft';
import { findChanges } from './merge';

interface ConflictProps {
  draft: Draft;
  /** The version that the user began to edit. */
  base: Listing;
  /** The latest version. */
  theirs: Listing;
  onMerge: () => void;
  onDiscard: () => void;
}

/** Shown if another user or a program changed the listing first. The user can merge the draft or discard it. */
export function Conflict({ draft, base, theirs, onMerge, onDiscard }: ConflictProps) {
  const and = (work: () => void) => () => {
    work();
    focusPage(document.querySelector<HTMLElement>('[role="dialog"]'));
  };
  return (
    <Note color="yellow" title="Someone else changed this listing">
      <Text size="sm">Your changes aren’t saved yet, but nothing is lost. Changed in the meantime:</Text>
      <ul className="changes">
        {findChanges(draft, base, theirs).map(({ label, theirs: value, isBoth }) => (
          <li key={label}>
            {label}
            {value !== undefined && (
              <>
                , now <bdi>{value === '' ? 'empty' : value}</bdi>
              </>
            )}
            {isBoth && <b> – you also changed it</b>}
          </li>
        ))}
      </ul>
      <Text size="sm" mb="sm">
        Apply your changes to the latest version, then review and save.
      </Text>
      <Group gap="xs">
        <Button variant="filled" size="xs" onClick={and(onMerge)}>
          Apply my changes
        </Button>
        <Button size="xs" onClick={and(onDiscard)}>
          Discard my changes
        </Button>
      </Group>
    </Note>
  );
}
