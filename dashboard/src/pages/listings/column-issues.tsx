import { Checkbox, Text } from '@mantine/core';
import type { ValidationIssue } from '../../api/client';
import { Note } from '../../parts/form';

interface ColumnIssuesProps {
  issues: ValidationIssue[];
  isIgnored: boolean;
  onIgnore: (isIgnored: boolean) => void;
}

/** Lists the columns that prevent an import. The user can skip unknown columns. */
export function ColumnIssues({ issues, isIgnored, onIgnore }: ColumnIssuesProps) {
  const unknown = issues.filter(({ code }) => code === 'unknown_field').map(({ field }) => field);
  const hasOtherSeparator = issues.length === 1 && /[;\t]/.test(issues[0]?.field ?? '');
  return (
    <Note title="Nothing was imported yet">
      {hasOtherSeparator ? (
        <Text size="sm">
          The columns of this file are separated by semicolons or tabs. In your spreadsheet app, save it as a
          comma-separated (CSV) file, and choose it again.
        </Text>
      ) : (
        <ul className="changes">
          {issues.map((issue) => (
            <li key={issue.field}>
              <Explanation {...issue} />
            </li>
          ))}
        </ul>
      )}
      {unknown.length > 0 && !hasOtherSeparator && (
        <Checkbox
          mt="sm"
          label={`Import without ${unknown.join(', ')}`}
          checked={isIgnored}
          onChange={({ currentTarget }) => onIgnore(currentTarget.checked)}
        />
      )}
    </Note>
  );
}

function Explanation({ field, code, message }: ValidationIssue) {
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
  const meant = /did you mean `?(\w+)/i.exec(message)?.[1];
  return (
    <>
      Unknown column {name}.{' '}
      {meant !== undefined && (
        <>
          Did you mean <code>{meant}</code>? Rename the column.
        </>
      )}
    </>
  );
}
