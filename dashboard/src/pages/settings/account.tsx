import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Account } from '../../api/admin';
import { request } from '../../api/client';
import { accountQuery, queryClient, refresh, sessionQuery } from '../../api/queries';
import { notify } from '../../lib/notify';
import { useForm } from '../../lib/use-form';
import { Form } from '../../parts/form';
import { NotLoaded } from '../../parts/loaded';
import { Page } from '../../parts/page';

export function AccountPage() {
  const query = useQuery({ ...accountQuery, refetchOnWindowFocus: false });
  return (
    <Page
      title="Account"
      description="The account’s name, and the currency and area unit of listings that don’t specify one."
    >
      {query.data === undefined ? <NotLoaded query={query} count={3} /> : <AccountForm account={query.data} />}
    </Page>
  );
}

const UNITS: Record<Account['areaUnits'], string> = { sqft: 'Square feet', sqm: 'Square meters' };
const UNIT_OPTIONS = Object.entries(UNITS).map(([value, label]) => ({ value, label }));

function AccountForm({ account: { name, currency, areaUnits } }: { account: Account }) {
  const form = useForm({ name, currency, areaUnits });
  const save = async () => {
    const body = { ...form.values, currency: form.values.currency.trim().toUpperCase() };
    const saved = await request<Account>('PATCH', '/admin/account', { body });
    queryClient.setQueryData(accountQuery.queryKey, saved);
    await refresh(sessionQuery);
    notify('Account saved.');
  };

  return (
    <section className="card form-section">
      <Form form={form} onSubmit={save} maxWidth={440}>
        <TextInput label="Name" autoComplete="off" {...form.bind('name')} />
        <TextInput
          label="Default currency"
          description="A three-letter code, such as USD or EUR."
          autoComplete="off"
          {...form.bind('currency')}
        />
        <NativeSelect label="Default area unit" data={UNIT_OPTIONS} {...form.bind('areaUnits')} />
        <Group>
          <Button variant="filled" type="submit" loading={form.isBusy}>
            Save
          </Button>
        </Group>
      </Form>
    </section>
  );
}
