import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { useFaults } from '../../lib/faults';
import { AREA_UNITS } from '../../lib/format';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { usePresent } from '../../shell/session';
import { type Draft, sayDraftFault } from './draft';
import { DEFAULT_UNITS, FORM_FIELDS, FORM_SECTIONS, type FormField } from './form-fields';
import { MetadataRows, PhotoRows } from './row-fields';

interface ListingFormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  action: string;
  onSubmit: () => Promise<void>;
  onCancel: () => void;
  /** Said of the form besides its own faults. */
  note?: ReactNode;
}

/** All fields of a listing. What is wrong with them the service says, and its words stand beside the fields. */
export function ListingForm({ draft, onChange, action, onSubmit, onCancel, note }: ListingFormProps) {
  const { faults, isBusy, submit } = useFaults(
    (field) => hasInput(draft, field),
    (fault) => sayDraftFault(draft, fault),
  );
  const setValue = (name: string, value: string) => onChange({ ...draft, values: { ...draft.values, [name]: value } });

  return (
    <Form onSubmit={() => submit(() => onSubmit().catch(throwBesideField))}>
      <Stack gap="xl">
        {note}
        <FormError>{faults.general}</FormError>
        {FORM_SECTIONS.map(({ title, fields }) => (
          <section key={title} className="card form-section">
            <Title order={2} mb="md">
              {title}
            </Title>
            <div className="form-grid">
              {fields.map((field) => (
                <div key={field.name} className={`span-${field.span}`} data-required={field.isRequired}>
                  <Field
                    field={field}
                    value={draft.values[field.name] ?? ''}
                    error={faults.fields[field.name]}
                    onChange={(value) => setValue(field.name, value)}
                  />
                </div>
              ))}
            </div>
          </section>
        ))}
        <section className="card form-section">
          <Title order={2} mb="md">
            Photos
          </Title>
          <PhotoRows rows={draft.photos} faults={faults.fields} onChange={(photos) => onChange({ ...draft, photos })} />
        </section>
        <section className="card form-section">
          <Title order={2}>Values of your own</Title>
          <Text size="sm" c="dimmed" mb="md">
            Whatever else you keep of a listing, such as <i>agent</i> or <i>open house</i>. Programs find them in{' '}
            <code>metadata</code>.
          </Text>
          <MetadataRows
            rows={draft.metadata}
            faults={faults.fields}
            onChange={(metadata) => onChange({ ...draft, metadata })}
          />
        </section>
        <Group justify="flex-end" gap="xs" className="form-actions">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** What the service says of the listing as a whole and is one field's fault. */
function throwBesideField(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'external_id_taken') throw error;
  const { status, code, message } = error;
  throw new ApiError(status, code, message, { details: [{ field: 'externalId', code, message }] });
}

/** Whether a fault of this field has a place beside an input. */
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

function Field({ field, value, error, onChange }: FieldProps) {
  const { name, label, kind, isRequired, options = [], description } = field;
  const { account } = usePresent();
  const common = {
    label,
    description,
    // Below, so that fields with and without one stand in a line.
    inputWrapperOrder: ['label' as const, 'input' as const, 'description' as const, 'error' as const],
    'aria-required': isRequired,
    value,
    error,
    autoComplete: 'off',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  if (kind === 'choice') {
    const data = options.map((option) =>
      option === DEFAULT_UNITS ? { ...option, label: `${AREA_UNITS[account.areaUnits]} (default)` } : option,
    );
    return <NativeSelect {...common} data={data} />;
  }
  if (kind === 'long') return <Textarea {...common} autosize minRows={4} maxRows={16} />;
  const placeholder = name === 'currency' ? account.currency : undefined;
  const isNumber = kind === 'number' || kind === 'degrees';
  return <TextInput {...common} inputMode={isNumber ? 'decimal' : 'text'} placeholder={placeholder} />;
}
