import { Text } from '@mantine/core';
import { describeWarning } from '../../lib/issue-texts';
import { Note } from '../../parts/form';

interface FileWarningsProps {
  warnings?: { field: string; message: string }[] | undefined;
}

/** Shows warnings about values in a file that are valid but probably wrong. */
export function FileWarnings({ warnings = [] }: FileWarningsProps) {
  if (warnings.length === 0) return null;
  return (
    <Note color="yellow" title="Units differ">
      {warnings.map(({ field, message }) => (
        <Text key={field} size="sm">
          {describeWarning(message)}
        </Text>
      ))}
    </Note>
  );
}
