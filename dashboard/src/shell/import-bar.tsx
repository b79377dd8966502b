import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { formatCount, formatNumber } from '../lib/format';
import { changeImport, stopImport, useImport } from '../lib/running-import';
import { ButtonLink } from '../parts/links';

const IMPORT_PATH = '/listings/import';

/**
 * A bar that all pages except the Import page show while an import runs, and until the user has opened or
 * dismissed its report.
 */
export function ImportBar() {
  const { file, progress, isSeen } = useImport();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isRunning = progress !== undefined;
  if (file === undefined || path === IMPORT_PATH || isSeen) return null;
  return (
    <Stack component="section" className="card" aria-label="Import" gap={10} px={14} py={10} mb={24}>
      {isRunning && <Progress value={progress.fraction * 100} size="xs" aria-label="Import" />}
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status" flex="1 1 200px" miw={0}>
          <bdi style={{ fontWeight: 600 }}>{file.name}</bdi> {isRunning ? 'is being imported.' : <Outcome />}
        </Text>
        <Group gap="xs">
          <ButtonLink size="xs" to={IMPORT_PATH}>
            {isRunning ? 'Show' : 'Show report'}
          </ButtonLink>
          <Button size="xs" onClick={isRunning ? stopImport : () => changeImport({ isSeen: true })}>
            {isRunning ? 'Stop' : 'Dismiss'}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

function Outcome() {
  const { result, error } = useImport();
  if (error !== undefined) return <>was not fully imported. {error}</>;
  if (result === undefined) return null;
  const { created, updated, failed } = result.report;
  const [verb, would] = result.isDryRun ? ['was checked', 'would be '] : ['was imported', ''];
  return (
    <>
      {verb}: {formatNumber(created)} {would}created, {formatNumber(updated)} {would}updated,{' '}
      <strong>{formatCount(failed, 'row')} failed</strong>.
    </>
  );
}
