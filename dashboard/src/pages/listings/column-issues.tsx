import { Checkbox } from '@mantine/core';
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
  return (
    <Note title="Nothing was imported yet">
      <ul className="changes">
        {issues.map((issue) => (
          <li key={issue.field}>
            <Explanation {...issue} />
          </li>
        ))}
      </ul>
      {unknown.length > 0 && (
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
