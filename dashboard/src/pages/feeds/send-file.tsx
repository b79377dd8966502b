import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { notify } from '../../lib/notify';
import { BackTo } from '../../parts/back-to';
import { Page } from '../../parts/page';
import { SendFeedFile } from './send-feed-file';

export function SendFilePage() {
  const { name } = useParams({ from: '/inside/feeds/$name/send' });
  const [isSkipping, setSkipping] = useState(false);
  const navigate = useNavigate();
  return (
    <Page
      title={`Send a file to ${name}`}
      above={
        <BackTo to="/feeds/$name" name={name}>
          {name}
        </BackTo>
      }
      description="Nothing changes until you have seen the plan and applied it."
    >
      <SendFeedFile
        name={name}
        parameters={isSkipping ? { ignoreUnknown: 'true' } : {}}
        isSkipping={isSkipping}
        onSkip={setSkipping}
        onDone={async ({ id }) => {
          await navigate({ to: '/feeds/$name/runs/$runId', params: { name, runId: id } });
          notify('The file was applied.');
        }}
      />
    </Page>
  );
}
