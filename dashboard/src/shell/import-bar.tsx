import { Button, Group, Progress, Text } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { formatCount, formatNumber } from '../lib/format';
import { changeImport, stopImport, useImport } from '../lib/running-import';

const IMPORT_PATH = '/listings/import';

/** Above all other pages than its own: an import that goes on, or that has ended and whose report nobody has seen. */
export function ImportBar() {
  const { file, progress, isSeen } = useImport();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isRunning = progress !== undefined;
  if (file === undefined || path === IMPORT_PATH || isSeen) return null;
  return (
    <section className="card import-bar" aria-label="Import">
      {isRunning && <Progress value={progress * 100} size="xs" aria-label="Import" />}
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status" flex="1 1 200px" miw={0}>
          <bdi style={{ fontWeight: 600 }}>{file.name}</bdi> {isRunning ? 'is being imported.' : <Outcome />}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" renderRoot={(props) => <Link to={IMPORT_PATH} {...props} />}>
            {isRunning ? 'Show' : 'Show the report'}
          </Button>
          {isRunning ? (
            <Button size="xs" variant="default" onClick={stopImport}>
              Stop
            </Button>
          ) : (
            <Button size="xs" variant="default" onClick={() => changeImport({ isSeen: true })}>
              Dismiss
            </Button>
          )}
        </Group>
      </Group>
    </section>
  );
}

function Outcome() {
  const { result, fault } = useImport();
  if (fault !== undefined) return <>was not imported to its end. {fault}</>;
  if (result === undefined) return 'was not imported: its columns are not understood.';
  const { created, updated, failed } = result.report;
  const counts = `${formatNumber(created)} created, ${formatNumber(updated)} changed`;
  const verb = result.isDryRun ? 'was checked' : 'was imported';
  return (
    <>
      {verb}: {counts}, <strong>{formatCount(failed, 'row')} refused</strong>.
    </>
  );
}
