import { Button, Group, NativeSelect, Stack, Textarea, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useFaults } from '../../lib/faults';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { usePresent } from '../../shell/session';
import type { Draft } from './draft';
import { FORM_FIELDS, FORM_SECTIONS, type FormField } from './form-fields';
import { MetadataRows, PhotoRows } from './row-fields';

interface ListingFormProps {
  start: Draft;
  action: string;
  onSubmit: (draft: Draft) => Promise<void>;
  onCancel: () => void;
  /** Said of the form besides its own faults. */
  note?: ReactNode;
}

/** All fields of a listing. What is wrong with them the service says, and its words stand beside the fields. */
export function ListingForm({ start, action, onSubmit, onCancel, note }: ListingFormProps) {
  const [draft, setDraft] = useState(start);
  const { faults, isBusy, submit } = useFaults((field) => hasInput(draft, field));
  const setValue = (name: string, value: string) =>
    setDraft((before) => ({ ...before, values: { ...before.values, [name]: value } }));

  return (
    <Form onSubmit={() => submit(() => onSubmit(draft))}>
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
                <div key={field.name} className={`span-${field.span}`}>
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
          <PhotoRows
            rows={draft.photos}
            faults={faults.fields}
            onChange={(photos) => setDraft((before) => ({ ...before, photos }))}
          />
        </section>
        <section className="card form-section">
          <Title order={2} mb="md">
            Values of your own
          </Title>
          <MetadataRows
            rows={draft.metadata}
            faults={faults.fields}
            onChange={(metadata) => setDraft((before) => ({ ...before, metadata }))}
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

/** Whether a fault of this field has a place beside an input. */
function hasInput({ metadata }: Draft, field: string): boolean {
  if (FORM_FIELDS.some(({ name }) => name === field)) return true;
  if (/^photos(\[\d+\](\.(url|caption))?)?$/.test(field)) return true;
  return field === 'metadata' || metadata.some(({ name }) => field === `metadata.${name.trim()}`);
}

interface FieldProps {
  field: FormField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Field({ field: { name, label, kind, options = [], description }, value, error, onChange }: FieldProps) {
  const { account } = usePresent();
  const common = {
    label,
    description,
    value,
    error,
    autoComplete: 'off',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  if (kind === 'choice') return <NativeSelect {...common} data={options} />;
  if (kind === 'long') return <Textarea {...common} autosize minRows={4} maxRows={16} />;
  const placeholder = name === 'currency' ? account.currency : undefined;
  return <TextInput {...common} inputMode={kind === 'number' ? 'decimal' : 'text'} placeholder={placeholder} />;
}
