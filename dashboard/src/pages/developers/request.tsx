import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { LoggedRequest } from '../../api/admin';
import { requestQuery } from '../../api/queries';
import { formatDuration, formatExact, formatNumber } from '../../lib/format';
import { CopyBlock, CopyText } from '../../parts/copy-button';
import { Facts } from '../../parts/facts';
import { BackTo, TextLink } from '../../parts/links';
import { NotLoadedPage } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { StatusCode } from '../../parts/state-badge';
import { Time } from '../../parts/time';

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

function factsOf(request: LoggedRequest) {
  const { at, key, path, query, status, code, durationMs, requestId, sequence, omitted } = request;
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
    [isOfFile(request) ? 'Last event' : 'Event']: sequence !== null && (
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

/**
 * Formats a shell command that repeats a request. The log contains neither the API key nor the body, so the
 * command has placeholders for them.
 */
function toCurl(request: LoggedRequest): string {
  const { method, path, query } = request;
  const url = `${window.location.origin}${path}${query === '' ? '' : `?${query}`}`;
  return [
    `curl ${methodOption(method)}${quote(url)}`,
    `-H 'Authorization: Bearer API_KEY'`,
    ...bodyOptions(request),
  ].join(' \\\n  ');
}

/** Whether the request sends a file of listings, whose format is not in the log. */
function isOfFile({ method, path }: LoggedRequest): boolean {
  return (method === 'POST' && path.endsWith('/imports')) || (method === 'PUT' && path.includes('/feeds/'));
}

function bodyOptions(request: LoggedRequest): string[] {
  if (!['POST', 'PUT', 'PATCH'].includes(request.method)) return [];
  return isOfFile(request)
    ? [`-H 'Content-Type: MEDIA_TYPE'`, '--data-binary @FILE']
    : [`-H 'Content-Type: application/json'`, '--data-binary @body.json'];
}

function methodOption(method: string): string {
  if (method === 'GET') return '';
  return method === 'HEAD' ? '--head ' : `-X ${method} `;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
