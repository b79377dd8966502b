import { Text } from '@mantine/core';
import { describeWarning } from '../../lib/issue-texts';
import { Note } from '../../parts/form';

interface FileWarningsProps {
  warnings?: { field: string; message: string }[] | undefined;
}

/** What is probably wrong with values of a file that are valid. */
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
