import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/client';
import { accountQuery, queryClient, sessionQuery } from '../../api/queries';
import type { Account } from '../../api/types';
import { useFaults } from '../../lib/faults';
import { tell } from '../../lib/notes';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { NotLoaded } from '../../parts/loaded';
import { Page } from '../../parts/page';

export function AccountPage() {
  const query = useQuery({ ...accountQuery, refetchOnWindowFocus: false });
  return (
    <Page title="Account" description="What your team sees, and what prices and areas get that come without a unit.">
      {query.data === undefined ? <NotLoaded query={query} count={3} /> : <AccountForm account={query.data} />}
    </Page>
  );
}

const FIELDS = ['name', 'currency', 'areaUnits'];
const UNITS = [
  { value: 'sqft', label: 'Square feet' },
  { value: 'sqm', label: 'Square metres' },
];

function AccountForm({ account }: { account: Account }) {
  const [name, setName] = useState(account.name);
  const [currency, setCurrency] = useState(account.currency);
  const [areaUnits, setAreaUnits] = useState<string>(account.areaUnits);
  const { faults, isBusy, submit } = useFaults((field) => FIELDS.includes(field));

  const save = () =>
    submit(async () => {
      const body = { name, currency: currency.trim().toUpperCase(), areaUnits };
      const saved = await request<Account>('PATCH', '/admin/account', { body });
      queryClient.setQueryData(accountQuery.queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      tell('The account was saved.');
    });

  return (
    <Form onSubmit={save}>
      <section className="card form-section">
        <Stack maw={440}>
          <FormError>{faults.general}</FormError>
          <TextInput
            label="Name"
            value={name}
            autoComplete="off"
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={faults.fields.name}
          />
          <TextInput
            label="Default currency"
            description="Three letters, as USD or EUR."
            value={currency}
            autoComplete="off"
            onChange={({ currentTarget }) => setCurrency(currentTarget.value)}
            error={faults.fields.currency}
          />
          <NativeSelect
            label="Default unit of areas"
            data={UNITS}
            value={areaUnits}
            onChange={({ currentTarget }) => setAreaUnits(currentTarget.value)}
            error={faults.fields.areaUnits}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy}>
              Save
            </Button>
          </Group>
        </Stack>
      </section>
    </Form>
  );
}
