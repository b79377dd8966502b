import { Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session, SetupOffer, SetupState } from '../../api/admin';
import { request } from '../../api/client';
import { setupQuery } from '../../api/queries';
import { useForm } from '../../lib/use-form';
import { Form } from '../../parts/form';
import { TextLink } from '../../parts/links';
import { NewPasswordField } from '../../parts/password-field';
import { ErrorState } from '../../parts/states';
import { Entry, LinkFile, LoadingEntry, useEnter, useToken } from './entry';

/** Creates the first administrator, with the setup link, which only the operator sees. */
export function SetupPage() {
  const { data: setup, error, refetch } = useQuery(setupQuery);
  const token = useToken();
  if (error !== null) {
    return (
      <Entry title="Set up">
        <ErrorState error={error} onRetry={refetch} />
      </Entry>
    );
  }
  if (setup === undefined) return <LoadingEntry title="Set up" />;
  if (!setup.isOpen) return <Finished />;
  if (token === '') return <NoLink setup={setup} />;
  return <SetupByLink setup={setup} token={token} />;
}

/** Checks the link before it shows the form. */
function SetupByLink({ setup, token }: { setup: SetupState; token: string }) {
  const { data: offer, error } = useQuery({
    queryKey: ['setup-link', token],
    queryFn: () => request<SetupOffer>('POST', '/admin/setup/preview', { body: { token } }),
    // A reload could replace the form while the user fills it in.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) {
    return (
      <Entry title="Open the newest setup link">
        <Text size="sm">
          {error.message} <LinkFile setup={setup} />
        </Text>
      </Entry>
    );
  }
  return offer === undefined ? (
    <LoadingEntry title="Set up" />
  ) : (
    <SetupForm setup={setup} offer={offer} token={token} />
  );
}

function SetupForm({ setup, offer, token }: { setup: SetupState; offer: SetupOffer; token: string }) {
  const form = useForm({ accountName: '', name: '', email: '', password: '' });
  const enter = useEnter();
  const finish = async () => {
    const { accountName, ...user } = form.values;
    const account = setup.needsAccountName ? { accountName } : {};
    enter(await request<Session>('POST', '/admin/setup', { body: { token, ...user, ...account } }));
  };

  return (
    <Entry title="Set up Property Listings">
      <Form form={form} onSubmit={finish}>
        <Text c="dimmed" size="sm" mt={-12}>
          You will be the first administrator{describeAccounts(offer)}. You can invite others later.
        </Text>
        {setup.needsAccountName && (
          <TextInput
            label="Account"
            description="The name of your company."
            autoComplete="organization"
            {...form.bind('accountName')}
          />
        )}
        <TextInput label="Your name" autoComplete="name" {...form.bind('name')} />
        <TextInput label="E-mail" type="email" autoComplete="username" {...form.bind('email')} />
        <NewPasswordField label="Password" {...form.bind('password')} />
        <Button variant="filled" type="submit" loading={form.isBusy} fullWidth mt={4}>
          Finish setup
        </Button>
      </Form>
    </Entry>
  );
}

const LIST = new Intl.ListFormat('en');

function describeAccounts({ accountNames, hasMoreAccounts }: SetupOffer): string {
  if (accountNames.length === 0) return '';
  return ` of ${LIST.format(hasMoreAccounts ? [...accountNames, 'all others'] : accountNames)}`;
}

function NoLink({ setup }: { setup: SetupState }) {
  return (
    <Entry title="Open the setup link">
      <Text size="sm">
        The service printed a setup link when it started. Open the complete link. <LinkFile setup={setup} />
      </Text>
    </Entry>
  );
}

function Finished() {
  return (
    <Entry title="Already set up">
      <Text size="sm" mb="md">
        An administrator already exists. A setup link works only once.
      </Text>
      <TextLink to="/sign-in">Go to sign-in</TextLink>
    </Entry>
  );
}
