import { Alert, Button, Group, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { focusPage } from '../../lib/focus';
import { AREA_UNITS } from '../../lib/format';
import { useSubmit } from '../../lib/use-form';
import { Form } from '../../parts/form';
import { CardSection } from '../../parts/page';
import { useSession } from '../../shell/session';
import { CodeField } from './code-field';
import { type Draft, describeDraftIssue } from './draft';
import { DEFAULT_UNITS, FORM_FIELDS, FORM_SECTIONS, type FormField } from './form-fields';
import { MetadataRows, PhotoRows } from './row-fields';

interface ListingFormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  action: string;
  onSubmit: () => Promise<void>;
  /** Whether the draft was stored on an earlier visit. */
  isRestored: boolean;
  onDiscard: () => void;
  onCancel: () => void;
  note?: ReactNode;
}

/** Pairs of fields: a change to the first field may also fix the error of the second. */
const PARTNERS: Partial<Record<string, string>> = {
  currency: 'listPrice',
  closePrice: 'currency',
  livingAreaUnits: 'livingArea',
  lotSizeUnits: 'lotSizeArea',
  latitude: 'longitude',
  longitude: 'latitude',
};

export function ListingForm(props: ListingFormProps) {
  const { draft, onChange, action, onSubmit, isRestored, onDiscard, onCancel, note } = props;
  const form = useSubmit(
    (field) => hasInput(draft, field),
    (issue) => describeDraftIssue(draft, issue),
  );
  const errors = form.errors.fields;
  const cancel = () => {
    onDiscard();
    onCancel();
  };
  const change = (name: string, value: string) => {
    onChange({ ...draft, values: { ...draft.values, [name]: value } });
    form.clearField(name, PARTNERS[name] ?? name);
  };
  const changeRows = (changes: Partial<Pick<Draft, 'photos' | 'metadata'>>) => {
    onChange({ ...draft, ...changes });
    const fields = Object.keys(changes);
    form.clearField(...Object.keys(errors).filter((name) => fields.some((field) => name.startsWith(field))));
  };

  return (
    <Form form={form} onSubmit={() => onSubmit().catch(throwBesideField)} gap="xl">
      {note}
      {isRestored && <RestoredNote onDiscard={onDiscard} />}
      {FORM_SECTIONS.map(({ title, fields }) => (
        <CardSection key={title} title={title}>
          <div className="form-grid">
            {fields.map((field) => (
              <Field
                key={field.name}
                field={field}
                value={draft.values[field.name] ?? ''}
                error={errors[field.name]}
                onChange={(value) => change(field.name, value)}
              />
            ))}
          </div>
        </CardSection>
      ))}
      <CardSection title="Photos">
        <PhotoRows rows={draft.photos} errors={errors} onChange={(photos) => changeRows({ photos })} />
      </CardSection>
      <CardSection title="Custom fields">
        <Text size="sm" c="dimmed" mt="-sm" mb="md">
          Anything else you track for a listing. The API returns it as <code>metadata</code>.
        </Text>
        <MetadataRows rows={draft.metadata} errors={errors} onChange={(metadata) => changeRows({ metadata })} />
      </CardSection>
      <Group justify="flex-end" gap="xs" className="sticky-actions">
        <Button onClick={cancel}>Cancel</Button>
        <Button variant="filled" type="submit" loading={form.isBusy}>
          {action}
        </Button>
      </Group>
    </Form>
  );
}

function RestoredNote({ onDiscard }: { onDiscard: () => void }) {
  const discard = () => {
    onDiscard();
    focusPage(document.querySelector<HTMLElement>('[role="dialog"]'));
  };
  return (
    <Alert variant="default" role="status">
      <Group justify="space-between" gap="sm">
        <Text size="sm">Unsaved draft restored.</Text>
        <Button size="xs" onClick={discard}>
          Discard draft
        </Button>
      </Group>
    </Alert>
  );
}

/** Converts a conflict of external IDs to an error that is shown next to the field. */
function throwBesideField(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'external_id_taken') throw error;
  const { status, code, message } = error;
  throw new ApiError(status, code, message, { details: [{ field: 'externalId', code, message }] });
}

function hasInput({ metadata }: Draft, field: string): boolean {
  if (FORM_FIELDS.some(({ name }) => name === field)) return true;
  if (/^photos(\[\d+\](\.(url|caption))?)?$/.test(field) || /^metadata\[\d+\]\.name$/.test(field)) return true;
  return field === 'metadata' || metadata.some(({ name }) => field === `metadata.${name.trim()}`);
}

interface FieldProps {
  field: FormField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Field({ field, onChange, ...rest }: FieldProps) {
  const { name, label, kind, isRequired, options = [], description, span } = field;
  const { account } = useSession();
  const common = {
    ...rest,
    label,
    description,
    // Put descriptions below their inputs, so that the inputs of a row are aligned.
    inputWrapperOrder: ['label' as const, 'input' as const, 'description' as const, 'error' as const],
    'aria-required': isRequired,
    autoFocus: name === 'address',
    // The element that gets the focus when a drawer opens.
    'data-autofocus': name === 'address' || undefined,
    autoComplete: 'off',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
    style: { '--span': span },
    wrapperProps: { 'data-required': isRequired },
  };
  if (kind === 'choice') {
    const data = options.map((option) =>
      option === DEFAULT_UNITS ? { ...option, label: `${AREA_UNITS[account.areaUnits]} (default)` } : option,
    );
    return <NativeSelect {...common} data={data} />;
  }
  if (kind === 'code') {
    const placeholder = name === 'currency' ? `${account.currency} (default)` : undefined;
    return <CodeField {...rest} {...{ name, label, onChange, placeholder }} style={common.style} />;
  }
  if (kind === 'date') return <TextInput {...common} type="date" />;
  if (kind === 'long') return <Textarea {...common} autosize minRows={4} maxRows={16} />;
  const isNumber = kind === 'number' || kind === 'degrees';
  return <TextInput {...common} inputMode={isNumber ? 'decimal' : 'text'} />;
}
