import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { requestQuery } from '../../api/queries';
import type { LoggedRequest } from '../../api/types';
import { formatDuration, formatExact, formatNumber } from '../../lib/format';
import { BackTo } from '../../parts/back-to';
import { CopyBlock, CopyText } from '../../parts/copy-button';
import { Facts } from '../../parts/facts';
import { TextLink } from '../../parts/links';
import { NotLoadedPage } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { Time } from '../../parts/time';
import { isOfFile, toCurl } from './curl';
import { StatusCode } from './status-code';

export function RequestPage() {
  const { id } = useParams({ from: '/inside/developers/requests/$id' });
  const query = useQuery(requestQuery(id));
  const { data } = query;
  const back = <BackTo to="/developers/requests">Requests</BackTo>;
  if (data === undefined) return <NotLoadedPage title="Request" above={back} query={query} />;
  return (
    <Page title={`${data.method} ${data.path}`} above={back}>
      <Stack>
        <Facts facts={factsOf(data)} />
        {data.errorBody !== null && (
          <CopyBlock title="Error" text={formatJson(data.errorBody)} label="Copy the error" />
        )}
        <CopyBlock title="curl" text={toCurl(data)} label="Copy as curl" />
      </Stack>
    </Page>
  );
}

function factsOf({
  at,
  key,
  method,
  path,
  query,
  status,
  code,
  durationMs,
  requestId,
  sequence,
  omitted,
}: LoggedRequest) {
  return {
    Status: <StatusCode status={status} />,
    Code: code && (
      <Anchor size="sm" href={`/docs/errors/${code}`} target="_blank" rel="noreferrer">
        {code}
      </Anchor>
    ),
    Time: (
      <>
        {formatExact(at)} (<Time at={at} />)
      </>
    ),
    Duration: formatDuration(durationMs),
    Key: (
      <TextLink to="/developers/requests" search={{ keyId: key.id }}>
        <bdi>{key.name}</bdi>
        {key.isDeleted && ' (deleted)'}
      </TextLink>
    ),
    Path: <code>{path}</code>,
    Query: query && <code>{query}</code>,
    'Request ID': <CopyText text={requestId} label="Copy the request ID" />,
    'Similar requests':
      omitted > 0 &&
      `${formatNumber(omitted)} more with this key and status, on any path, in the same quarter of a second. They were counted but not logged.`,
    [isOfFile({ method, path }) ? 'Last event' : 'Event']: sequence !== null && (
      <TextLink to="/developers/events" search={{ at: String(sequence) }}>
        Event {formatNumber(sequence)}
      </TextLink>
    ),
  };
}

/** Indents JSON. A string that is not JSON, or was cut off, is returned unchanged. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
