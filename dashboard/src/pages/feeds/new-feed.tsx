import { Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/client';
import { feedPath, feedsQuery, refresh } from '../../api/queries';
import { attempt, notify } from '../../lib/notify';
import { useForm } from '../../lib/use-form';
import { BackTo, TextLink } from '../../parts/links';
import { NotLoaded } from '../../parts/loaded';
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
  const query = useQuery(feedsQuery);
  /** The name of the feed that this page has begun to create. If sending the file fails, the feed may exist. */
  const [ownName, setOwnName] = useState<string>();
  const isTaken = name !== ownName && query.data?.data.some((feed) => feed.name === name);
  const isUsable = FEED_NAME.test(name) && !isTaken;
  const finish = async (columns: ColumnSettings) => {
    await attempt('The settings could not be saved', async () => {
      await request('PATCH', feedPath(name), { body: { ...toSettings(settings), ...columns } });
      notify(`Feed ${name} created.`);
    });
    await refresh(feedsQuery);
  };
  return (
    <Page
      title="New feed"
      above={<BackTo to="/feeds">Feeds</BackTo>}
      description="Name the source, and send its first file. Nothing changes until you have seen the plan and applied it."
    >
      {query.data === undefined ? (
        <NotLoaded query={query} />
      ) : (
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
                {...(isTaken && { error: <Taken name={name} /> })}
              />
              <SettingsFields form={form} />
            </Stack>
          </section>
          <SendFeedFile
            name={isUsable ? name : ''}
            parameters={toParameters(settings)}
            onApply={() => setOwnName(name)}
            onDone={finish}
          />
        </Stack>
      )}
    </Page>
  );
}

function Taken({ name }: { name: string }) {
  return (
    <>
      Another feed has this name.{' '}
      <TextLink to="/feeds/$name/send" params={{ name }} inherit c="inherit" underline="always">
        Send a file to it
      </TextLink>
      , or choose another name.
    </>
  );
}
