import { Button, Checkbox, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Feed } from '../../api/admin';
import { request } from '../../api/client';
import { feedPath, feedsQuery, refresh } from '../../api/queries';
import type { Targets } from '../../lib/columns';
import { notify } from '../../lib/notify';
import { useForm } from '../../lib/use-form';
import { formatLines, parseLines, patchOf } from '../../lib/value-lines';
import { FormDialog } from '../../parts/dialogs';
import { ColumnMapping } from '../listings/column-mapping';
import { DATES, DECIMALS, WordFields } from '../listings/reading-options';

export const MISSING: Record<Feed['missing'], string> = {
  keep: 'Keep it',
  withdraw: 'Set its status to Withdrawn',
  delete: 'Delete it',
};
const MISSING_OPTIONS = Object.entries(MISSING).map(([value, label]) => ({ value, label }));

/** The initial settings, in the form that the inputs use: `yes` for true, and an empty string for false. */
export const INITIAL = {
  missing: 'keep',
  missingMax: '20%',
  failedMax: '5%',
  clean: 'yes',
  dates: '',
  decimal: '',
  values: '',
  defaults: '',
  ignoreUnknown: '',
  expectedEveryHours: '',
};

export type SettingsForm = Pick<ReturnType<typeof useForm<keyof typeof INITIAL>>, 'values' | 'set' | 'bind'>;

export function FeedSettings({ feed, onClose }: { feed: Feed; onClose: () => void }) {
  const form = useForm(toForm(feed));
  const [map, setMap] = useState<Targets>(feed.map);
  const save = async () => {
    const { values, defaults, ...settings } = toSettings(form.values);
    const body = {
      ...settings,
      map: patchOf(feed.map, map),
      values: patchOf(feed.values, values),
      defaults: patchOf(feed.defaults, defaults),
    };
    await request('PATCH', feedPath(feed.name), { body });
    await refresh(feedsQuery);
    notify('Settings saved.');
    onClose();
  };
  return (
    <FormDialog
      title={`Settings of ${feed.name}`}
      size={560}
      form={form}
      isOpen
      onClose={onClose}
      action="Save"
      onSubmit={save}
    >
      <SettingsFields form={form} />
      <StoredColumns map={map} onChange={setMap} />
    </FormDialog>
  );
}

/**
 * The stored mapping of columns to fields. A file that lacks any of these columns is rejected, unless the column
 * is skipped.
 */
function StoredColumns({ map, onChange }: { map: Targets; onChange: (map: Targets) => void }) {
  const [name, setName] = useState('');
  const columns = Object.keys(map).map((column) => ({ name: column, samples: [], field: null, isKnown: false }));
  const trimmed = name.trim();
  const add = () => {
    onChange({ ...map, [trimmed]: '' });
    setName('');
  };
  return (
    <>
      {columns.length > 0 && (
        <ColumnMapping
          columns={columns}
          targets={map}
          onChange={onChange}
          onRemove={(removed) => onChange(Object.fromEntries(Object.entries(map).filter(([key]) => key !== removed)))}
        />
      )}
      <Group align="flex-end" gap="xs">
        <TextInput
          flex={1}
          label="Column"
          description="The column’s name in the file, if it is not a field name."
          placeholder="Price"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button disabled={trimmed === '' || Object.hasOwn(map, trimmed)} onClick={add}>
          Add column
        </Button>
      </Group>
    </>
  );
}

export function SettingsFields({ form: { values, set, bind } }: { form: SettingsForm }) {
  const check = (name: 'clean' | 'ignoreUnknown') => ({
    checked: values[name] !== '',
    onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) =>
      set(name, currentTarget.checked ? 'yes' : ''),
  });
  return (
    <>
      <NativeSelect label="If a listing is missing" data={MISSING_OPTIONS} {...bind('missing')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Max. missing listings"
          description="The run stops above this limit, such as 10% (but at least 5 listings) or 200."
          {...bind('missingMax')}
        />
        <TextInput
          label="Max. failed rows"
          description="The run stops above this limit, such as 5% or 100."
          {...bind('failedMax')}
        />
        <TextInput
          label="Expected every (hours)"
          description="If no run succeeds for this long, the feed is late."
          inputMode="numeric"
          {...bind('expectedEveryHours')}
        />
        <NativeSelect
          label="Date format"
          description="How dates are written in the file."
          data={DATES}
          {...bind('dates')}
        />
        <NativeSelect
          label="Decimal separator"
          description="How numbers are written in the file."
          data={DECIMALS}
          {...bind('decimal')}
        />
      </SimpleGrid>
      <Checkbox
        label="Clean values"
        description="Accepts values such as $450,000 and 1,250 sq ft."
        {...check('clean')}
      />
      <Checkbox
        label="Skip unknown columns"
        description="Otherwise, an unknown column stops the run."
        {...check('ignoreUnknown')}
      />
      <WordFields bind={bind} />
    </>
  );
}

function toForm({ missing, missingMax, failedMax, clean, ignoreUnknown, expectedEveryHours, ...feed }: Feed) {
  return {
    missing,
    missingMax,
    failedMax,
    clean: clean ? 'yes' : '',
    dates: feed.dates ?? '',
    decimal: feed.decimal ?? '',
    values: formatLines(feed.values),
    defaults: formatLines(feed.defaults),
    ignoreUnknown: ignoreUnknown ? 'yes' : '',
    expectedEveryHours: String(expectedEveryHours ?? ''),
  };
}

/** Converts the values of the inputs to the body of a PATCH request. */
export function toSettings({ clean, ignoreUnknown, expectedEveryHours, ...texts }: typeof INITIAL) {
  return {
    ...texts,
    clean: clean !== '',
    dates: texts.dates || null,
    decimal: texts.decimal || null,
    values: parseLines(texts.values),
    defaults: parseLines(texts.defaults),
    ignoreUnknown: ignoreUnknown !== '',
    expectedEveryHours: expectedEveryHours === '' ? null : Number(expectedEveryHours),
  };
}

/** Converts the values of the inputs to the parameters of a run. */
export function toParameters(settings: typeof INITIAL) {
  const { clean, ignoreUnknown, values, defaults, expectedEveryHours: _, ...texts } = settings;
  return {
    ...texts,
    clean: clean && 'true',
    ignoreUnknown: ignoreUnknown && 'true',
    values: parseLines(values),
    defaults: parseLines(defaults),
  };
}
