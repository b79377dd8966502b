import { Checkbox, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../api/client';
import { feedPath, feedQuery, feedsQuery, refresh } from '../../api/queries';
import { attempt, notify } from '../../lib/notify';
import { BackTo } from '../../parts/links';
import { NotLoaded } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { type ColumnSettings, SendFeedFile } from './send-feed-file';

export function SendFilePage() {
  const { name } = useParams({ from: '/inside/feeds/$name/send' });
  const query = useQuery(feedQuery(name));
  const [isRemembering, setRemembering] = useState(true);
  const remember = (columns: ColumnSettings) =>
    attempt('The columns could not be remembered', async () => {
      await request('PATCH', feedPath(name), { body: columns });
      await refresh(feedsQuery);
    });
  return (
    <Page
      title={`Send a file to ${name}`}
      above={
        <BackTo to="/feeds/$name" params={{ name }}>
          {name}
        </BackTo>
      }
      description="Nothing changes until you have seen the plan and applied it."
    >
      {query.data === undefined ? (
        <NotLoaded query={query} />
      ) : (
        <Stack>
          <SendFeedFile
            name={name}
            stored={query.data.map}
            onDone={async (columns) => {
              if (isRemembering) await remember(columns);
              notify('The file was applied.');
            }}
          />
          <Checkbox
            label="Remember these columns for this feed"
            checked={isRemembering}
            onChange={({ currentTarget }) => setRemembering(currentTarget.checked)}
          />
        </Stack>
      )}
    </Page>
  );
}
