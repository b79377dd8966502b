import { Alert, Checkbox, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { FieldFault } from '../../api/client';
import { showNote } from '../../lib/focus';
import { suggestColumn } from './columns';

interface ColumnFaultsProps {
  faults: FieldFault[];
  isIgnored: boolean;
  onIgnore: (isIgnored: boolean) => void;
}

/** Why a file was not read at all: its columns. Those that are not known can be left out, knowingly. */
export function ColumnFaults({ faults, isIgnored, onIgnore }: ColumnFaultsProps) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => showNote(note.current), []);
  const unknown = faults.filter(({ code }) => code === 'unknown_field').map(({ field }) => field);
  const isOtherwiseCut = faults.length === 1 && /[;\t]/.test(faults[0]?.field ?? '');
  return (
    <Alert
      ref={note}
      tabIndex={-1}
      role="alert"
      color="red"
      variant="light"
      icon={<CircleAlert size={18} />}
      className="form-error"
      title="Nothing was imported yet"
    >
      {isOtherwiseCut ? (
        <Text size="sm">
          The columns of this file have semicolons or tabs between them. Save it with commas: in a spreadsheet choose
          “CSV, comma separated”.
        </Text>
      ) : (
        <ul className="changes">
          {faults.map((fault) => (
            <li key={fault.field}>
              <Explanation {...fault} />
            </li>
          ))}
        </ul>
      )}
      {unknown.length > 0 && !isOtherwiseCut && (
        <Checkbox
          mt="sm"
          label={`Import without ${unknown.join(', ')}: what stands there is left out`}
          checked={isIgnored}
          onChange={({ currentTarget }) => onIgnore(currentTarget.checked)}
        />
      )}
    </Alert>
  );
}

function Explanation({ field, code, message }: FieldFault) {
  const name = (
    <b>
      <bdi>{field}</bdi>
    </b>
  );
  if (code !== 'unknown_field') {
    return (
      <>
        {name}: {message}
      </>
    );
  }
  const meant = suggestColumn(field) ?? /perhaps (\w+) is meant/.exec(message)?.[1];
  return (
    <>
      The file has a column {name}, which is not known here.{' '}
      {meant !== undefined && (
        <>
          Rename it <code>{meant}</code> if that is what it holds.
        </>
      )}
    </>
  );
}
