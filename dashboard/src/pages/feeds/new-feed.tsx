import { Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../../api/client';
import { feedPath, feedsQuery, refresh } from '../../api/queries';
import type { FeedRun } from '../../api/types';
import { attempt, notify } from '../../lib/notify';
import { useForm } from '../../lib/use-form';
import { BackTo } from '../../parts/back-to';
import { Page } from '../../parts/page';
import { INITIAL, SettingsFields, toParameters, toSettings } from './feed-settings';
import { type ColumnSettings, SendFeedFile } from './send-feed-file';

const FEED_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const NAME_ERROR = 'Begin with a letter or digit. Use up to 64 lowercase letters, digits, hyphens, and underscores.';

/** Creates a feed by sending its first file, and then stores its settings. */
export function NewFeedPage() {
  const form = useForm({ name: '', ...INITIAL });
  const { name: typed, ...settings } = form.values;
  const name = typed.trim();
  const navigate = useNavigate();
  const finish = async ({ id }: FeedRun, columns: ColumnSettings) => {
    await attempt('The settings could not be saved', async () => {
      await request('PATCH', feedPath(name), { body: { ...toSettings(settings), ...columns } });
      notify(`Feed ${name} created.`);
    });
    await refresh(feedsQuery);
    await navigate({ to: '/feeds/$name/runs/$runId', params: { name, runId: id } });
  };
  return (
    <Page
      title="New feed"
      above={<BackTo to="/feeds">Feeds</BackTo>}
      description="Name the source, and send its first file. Nothing changes until you have seen the plan and applied it."
    >
      <Stack>
        <section className="card form-section">
          <Stack maw={560}>
            <TextInput
              label="Name"
              placeholder="mls"
              description="Lowercase letters, digits, hyphens, and underscores. The name can’t be changed later."
              autoComplete="off"
              {...form.bind('name')}
              {...(name !== '' && !FEED_NAME.test(name) && { error: NAME_ERROR })}
            />
            <SettingsFields form={form} />
          </Stack>
        </section>
        <SendFeedFile name={FEED_NAME.test(name) ? name : ''} parameters={toParameters(settings)} onDone={finish} />
      </Stack>
    </Page>
  );
}
