import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { useEffect } from 'react';
import { findRepeated } from '../../lib/columns';
import { formatCount, formatNumber } from '../../lib/format';
import { changeImport, changeReading, chooseFile, startImport, stopImport, useImport } from '../../lib/running-import';
import { saveFile } from '../../lib/save-file';
import { ErrorNote } from '../../parts/form';
import { ButtonLink } from '../../parts/links';
import { Page } from '../../parts/page';
import { LoadingRows } from '../../parts/states';
import { describeUpload, Steps, UploadProgress } from '../../parts/upload-progress';
import { BackLink } from './back';
import { ColumnMapping, MappingSummary } from './column-mapping';
import { makeTemplate } from './columns';
import { FileDrop } from './file-drop';
import { Report } from './import-report';
import { ReadingFields } from './reading-options';

const STEPS = ['File', 'Columns', 'Check', 'Import'];

export function ImportPage() {
  const state = useImport();
  const { file, columns, targets, error, result, progress, isSeen } = state;
  const isBusy = progress !== undefined;
  useEffect(() => {
    if (!isBusy && !isSeen) changeImport({ isSeen: true });
  }, [isBusy, isSeen]);

  return (
    <Page
      title="Import"
      above={<BackLink />}
      description={
        'A row with the ID or external ID of an existing listing updates that listing. Any other row without an ID creates a listing.'
      }
    >
      <Steps names={STEPS} current={stepOf(state)} />
      <Stack>
        <FileDrop file={file} onChoose={chooseFile} isDisabled={isBusy} />
        <ErrorNote>{error}</ErrorNote>
        {file !== undefined && columns === undefined && error === undefined && <LoadingRows count={4} />}
        {columns !== undefined && columns.length > 0 && result === undefined && !isBusy && <Columns />}
        {isBusy && <Running {...progress} />}
        {file !== undefined && result !== undefined && <Report file={file} targets={targets} result={result} />}
        {result !== undefined && !isBusy && <Next />}
        {file === undefined && <ImportColumns />}
      </Stack>
    </Page>
  );
}

function stepOf({ columns, result, progress }: ReturnType<typeof useImport>): number {
  if (progress !== undefined) return progress.isDryRun ? 2 : 3;
  if (result !== undefined) return result.isDryRun ? 2 : 4;
  return columns === undefined ? 0 : 1;
}

function Columns() {
  const { columns = [], targets, reading } = useImport();
  const mapping = { columns, targets, onChange: (changed: typeof targets) => changeReading({ targets: changed }) };
  return (
    <>
      <MappingSummary {...mapping} />
      <ColumnMapping {...mapping} />
      <div className="card form-section">
        <ReadingFields reading={reading} onChange={(changed) => changeReading({ reading: changed })} />
      </div>
      <Group justify="flex-end">
        <Button variant="filled" disabled={findRepeated(targets).size > 0} onClick={() => startImport(true)}>
          Check the file
        </Button>
      </Group>
    </>
  );
}

type Progress = NonNullable<ReturnType<typeof useImport>['progress']>;

function Running({ isDryRun, fraction, rows, total }: Progress) {
  const verb = isDryRun ? 'Checking' : 'Saving';
  const done =
    total === undefined ? `${formatNumber(rows)} rows` : `${formatNumber(rows)} of ${formatCount(total, 'row')}`;
  const next = rows === 0 ? `${verb} rows…` : `${verb} ${done}…`;
  // The browser receives the number of processed rows only after it has sent the whole file.
  const isSent = fraction === 1 && total !== undefined;
  return (
    <UploadProgress label="Import" fraction={isSent ? rows / total : fraction} onStop={stopImport}>
      {describeUpload(fraction, next)}
    </UploadProgress>
  );
}

/** The next step: after a check, to import the file; after the import, to open the listings. */
function Next() {
  const { result, error } = useImport();
  if (result === undefined) return null;
  const { report, isDryRun } = result;
  const { created, updated, unchanged, failed } = report;
  const note = isDryRun
    ? 'Failed rows are skipped. You can fix and import them later.'
    : 'Download the failed rows, fix them, and import the downloaded file.';
  // After a complete import, do not offer to import again, which would duplicate listings without an external ID.
  const isComplete = !isDryRun && error === undefined;
  const label =
    created + updated === 0 ? 'Nothing to import' : `Import ${formatCount(created + updated + unchanged, 'row')}`;
  return (
    <Group justify="flex-end" gap="xs">
      {failed > 0 && (
        <Text size="sm" c="dimmed" flex="1 1 240px">
          {note}
        </Text>
      )}
      <Button onClick={() => (isDryRun ? changeReading({}) : chooseFile(undefined))}>
        {isDryRun ? 'Back to columns' : 'Import another file'}
      </Button>
      {isComplete ? (
        <ButtonLink variant="filled" to="/listings">
          Go to listings
        </ButtonLink>
      ) : (
        <Button variant="filled" disabled={isDryRun && created + updated === 0} onClick={() => startImport(false)}>
          {isDryRun ? label : 'Import again'}
        </Button>
      )}
    </Group>
  );
}

/** Explains what a file can contain, and offers a template. */
function ImportColumns() {
  const download = () => saveFile(new Blob([makeTemplate()], { type: 'text/csv' }), 'listings-template.csv');
  return (
    <section className="card form-section">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 300px">
          The first row of a CSV file must contain the column names. Use your own, those of the{' '}
          <Anchor href="/docs" target="_blank" rel="noreferrer" size="sm" underline="always">
            API
          </Anchor>
          , or RESO’s; in the next step, you match them to fields. When a row updates a listing, fields without a column
          keep their values, and an empty cell removes the value.
        </Text>
        <Button size="xs" leftSection={<Download size={14} />} onClick={download}>
          Download template
        </Button>
      </Group>
    </section>
  );
}
